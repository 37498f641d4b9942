import { describe, expect, it } from 'vitest'
import { hash8 } from '../../../src/internal/hash.js'
import { endpointNamesOf, servicePortChainsOf } from '../../../src/targets/nftables/names.js'
import { servicePortId } from '../../support/model-builder.js'

// Computed with another implementation of SHA-256 and base32.
it.each([
  ['ns1/svc1/tcp/p80', 'ULMVA6XW'],
  ['ns1/svc1/tcp/p80__10.180.0.1/80', '5OJB2KTY'],
  ['testing/service/tcp/http', 'P4ZYZVCF'],
  ['default/kubernetes/tcp/https', '2QRHZV4L'],
  ['kube-system/kube-dns/udp/dns', 'FY5PMXPG'],
  ['ns/svc/tcp/', 'W4L2TFLV'],
  ['ns/svc/udp/dns__fd00..1/53', 'QPV5MIS6'],
])('hash8 for %s returns the hash %s', (text, hash) => {
  expect(hash8(text)).toBe(hash)
})

describe('a chain name in nftables mode', () => {
  it('starts with the kind of the chain, and then has a hash if the chain belongs to a service port', () => {
    expect(servicePortChainsOf(servicePortId())).toEqual({
      cluster: 'service-ULMVA6XW-ns1/svc1/tcp/p80',
      local: 'local-ULMVA6XW-ns1/svc1/tcp/p80',
      external: 'external-ULMVA6XW-ns1/svc1/tcp/p80',
      firewall: 'firewall-ULMVA6XW-ns1/svc1/tcp/p80',
    })
  })

  it('ends in a slash if the service port has no name', () => {
    const id = servicePortId({ namespace: 'ns', name: 'svc', portName: '' })
    expect(servicePortChainsOf(id).cluster).toBe('service-W4L2TFLV-ns/svc/tcp/')
  })

  it('ends in the address and port of an endpoint, without colons', () => {
    expect(endpointNamesOf(servicePortId(), { ip: '10.180.0.1', port: 80 })).toEqual({
      chain: 'endpoint-5OJB2KTY-ns1/svc1/tcp/p80__10.180.0.1/80',
      affinitySet: 'affinity-5OJB2KTY-ns1/svc1/tcp/p80__10.180.0.1/80',
    })
    const id = servicePortId({ namespace: 'ns', name: 'svc', protocol: 'UDP', portName: 'dns' })
    expect(endpointNamesOf(id, { ip: 'fd00::1', port: 53 }).chain).toBe('endpoint-QPV5MIS6-ns/svc/udp/dns__fd00..1/53')
  })

  it.each([
    [240, 240],
    [241, 240],
    [300, 240],
  ])('with %i bytes after the kind is truncated to %i bytes', (length, left) => {
    const longName = 'n'.repeat(length - 'ABCDEFGH-ns/'.length - '/tcp/p80'.length)
    const { cluster } = servicePortChainsOf(servicePortId({ namespace: 'ns', name: longName }))
    expect(cluster.length).toBe('service-'.length + left)
    expect(cluster.endsWith(length > 240 ? '...' : '/tcp/p80')).toBe(true)
  })
})
