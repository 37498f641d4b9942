import { expect, it } from 'vitest'
import { toConntrackFilter } from '../../src/commands/to-commands.js'
import type { StaleConnection } from '../../src/plan/stale-connection.js'

const VIP = '10.96.0.10'
const POD = '10.244.2.1'

it.each<[StaleConnection, object]>([
  [
    { kind: 'address', protocol: 'UDP', address: VIP },
    { kind: 'ip', originalDestination: VIP },
  ],
  [
    { kind: 'addressAndEndpoint', protocol: 'UDP', address: VIP, endpoint: POD },
    { kind: 'nat', originalDestination: VIP, natDestination: POD },
  ],
  [
    { kind: 'nodePort', protocol: 'UDP', port: 30053 },
    { kind: 'port', destinationPort: 30053 },
  ],
  [
    { kind: 'nodePortAndEndpoint', protocol: 'UDP', port: 30053, endpoint: POD },
    { kind: 'portnat', destinationPort: 30053, natDestination: POD },
  ],
])('toConntrackFilter converts the stale connection %j', (stale, expected) => {
  expect(toConntrackFilter(stale, 'IPv4')).toEqual({ ...expected, family: 'IPv4', protocol: 'udp' })
  expect(toConntrackFilter(stale, 'IPv6').family).toBe('IPv6')
})
