import { describe, expect, it } from 'vitest'
import { parseNetworkBytes } from '../../src/node/network-bytes.js'

const NETSTAT = `TcpExt: SyncookiesSent InOctets
TcpExt: 1 2
IpExt: InNoRoutes InTruncatedPkts InOctets OutOctets InMcastOctets
IpExt: 0 0 123456789012 987 5
MPTcpExt: MPCapableSYNRX
MPTcpExt: 0
`

describe('parseNetworkBytes', () => {
  it('reads the received and sent bytes below their names', () => {
    expect(parseNetworkBytes(NETSTAT)).toEqual({ received: 123_456_789_012, sent: 987 })
  })

  it.each([
    '',
    'IpExt: InOctets OutOctets\n',
    'IpExt: InOctets\nIpExt: 7\n',
    'IpExt: InOctets OutOctets\nIpExt: 7 x\n',
  ])('returns undefined for %j', (text) => {
    expect(parseNetworkBytes(text)).toBeUndefined()
  })
})
