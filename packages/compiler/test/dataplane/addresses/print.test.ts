import { describe, expect, it } from 'vitest'
import { printIpBatch } from '../../../src/dataplane/addresses/print.js'
import { lowered } from '../../support/ipvs-states.js'
import { servicePort } from '../../support/model-builder.js'

describe('printIpBatch', () => {
  it('prints one command per line, with the device before its addresses', () => {
    expect(printIpBatch(lowered([servicePort({ externalIPs: ['192.0.2.1'] })]).addresses)).toBe(
      [
        'link add kube-ipvs0 type dummy',
        'address add 172.30.0.41/32 dev kube-ipvs0',
        'address add 192.0.2.1/32 dev kube-ipvs0',
        '',
      ].join('\n'),
    )
  })

  it('uses prefix length 128 for IPv6 addresses', () => {
    const { addresses } = lowered([servicePort({ clusterIP: 'fd00::41' })], { family: 'IPv6' })
    expect(printIpBatch(addresses)).toBe('link add kube-ipvs0 type dummy\naddress add fd00::41/128 dev kube-ipvs0\n')
  })

  it('creates the device even if there are no addresses', () => {
    expect(printIpBatch({ addresses: [] })).toBe('link add kube-ipvs0 type dummy\n')
  })

  it.each(['10.0.0.1 dev eth0', '-x', '', '010.0.0.1', '10.0.0.1\nlink del eth0', 'FD00::1', '10.0.0.0/8'])(
    'rejects the address %j',
    (address) => {
      expect(() => printIpBatch({ addresses: [address] })).toThrow('cannot be bound')
    },
  )
})
