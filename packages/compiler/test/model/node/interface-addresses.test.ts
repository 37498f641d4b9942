import type { HostFacts } from '@kube-rules/types'
import { describe, expect, it } from 'vitest'
import { featuresOf } from '../../../src/model/configuration/features.js'
import { readInterfaceAddresses } from '../../../src/model/node/interface-addresses.js'
import { NEWEST, V1_30 } from '../../support/objects.js'

const NODE = [
  { family: 'IPv4', text: '192.168.0.2' },
  { family: 'IPv6', text: 'fd00::2' },
] as const

function read(host: unknown, features = NEWEST) {
  const { addresses, diagnostics } = readInterfaceAddresses(host as HostFacts, NODE, features)
  return {
    addresses: addresses.map((entry) => `${entry.interface} ${entry.address}`),
    problems: diagnostics.map(({ severity, code, path }) => `${severity} ${code} ${path}`),
  }
}

describe('readInterfaceAddresses', () => {
  it('returns the sorted, distinct addresses of all interfaces in canonical notation', () => {
    const interfaces = [
      { name: 'lo', addresses: ['127.0.0.1/8', '::1/128'] },
      { name: 'eth0', addresses: ['192.168.0.2/24', '2001:DB8:0::2/64', '10.0.0.9/8'] },
      { name: 'eth1', addresses: ['192.168.0.2/24'] },
    ]
    expect(read({ interfaces })).toEqual({
      addresses: ['eth0 10.0.0.9', 'lo 127.0.0.1', 'eth0 192.168.0.2', 'eth0 2001:db8::2', 'lo ::1'],
      problems: [],
    })
  })

  it.each([undefined, null, {}, { interfaces: null }, { nfacctCounters: true }])(
    'returns loopback and node addresses if the host names no interfaces: %j',
    (host) => {
      expect(read(host)).toEqual({
        addresses: ['lo 127.0.0.1', 'node 192.168.0.2', 'lo ::1', 'node fd00::2'],
        problems: [],
      })
    },
  )

  it.each([
    ['1.14', 'eth0'],
    ['1.22', 'eth0'],
    ['1.23', 'kube-ipvs0'],
    ['1.27', 'kube-ipvs0'],
    ['1.28', 'eth0'],
  ])('in version %s, returns an address of eth0 and kube-ipvs0 as an address of %s', (version, expected) => {
    const features = featuresOf('ipvs', version, new Map())
    const interfaces = [
      { name: 'eth0', addresses: ['192.168.0.2/24'] },
      { name: 'kube-ipvs0', addresses: ['192.168.0.2/32'] },
    ]
    for (const given of [interfaces, [...interfaces].reverse()]) {
      expect(read({ interfaces: given }, features).addresses).toEqual([`${expected} 192.168.0.2`])
    }
  })

  it('returns no addresses if the list of interfaces is empty', () => {
    expect(read({ interfaces: [] })).toEqual({ addresses: [], problems: [] })
  })

  it('warns about iptables without --random-fully if the kube-proxy version requires this option', () => {
    const warning = 'warning invalidValue iptablesRandomFully'
    expect(read({ iptablesRandomFully: false }).problems).toEqual([warning])
    expect(read({ iptablesRandomFully: false }, V1_30).problems).toEqual([])
    expect(read({ iptablesRandomFully: true }).problems).toEqual([])
  })

  it.each<[unknown, string]>([
    [3, 'error invalidType '],
    [{ interfaces: {} }, 'error invalidType interfaces'],
    [{ interfaces: ['eth0'] }, 'error invalidType interfaces[0]'],
    [{ interfaces: [{ name: 5 }] }, 'error invalidType interfaces[0].name'],
    [{ interfaces: [{ name: 'a', addresses: '10.0.0.1/8' }] }, 'error invalidType interfaces[0].addresses'],
    [{ interfaces: [{ name: 'a', addresses: ['10.0.0.1'] }] }, 'error invalidAddress interfaces[0].addresses[0]'],
    [{ interfaces: [{ name: 'a', addresses: ['10.0.0.1/33'] }] }, 'error invalidAddress interfaces[0].addresses[0]'],
    [{ interfaces: [{ name: 'a', addresses: [null] }] }, 'error invalidAddress interfaces[0].addresses[0]'],
    [{ iptablesRandomFully: 'yes' }, 'error invalidType iptablesRandomFully'],
    [{ conntrackTcpBeLiberal: 1 }, 'error invalidType conntrackTcpBeLiberal'],
    [{ nfacctCounters: {} }, 'error invalidType nfacctCounters'],
    [{ interface: [] }, 'warning unknownField interface'],
    [{ interfaces: [{ name: 'a', address: '10.0.0.1/8' }] }, 'warning unknownField interfaces[0].address'],
  ])('reports exactly one problem for %j: %s', (host, problem) => {
    expect(read(host).problems).toEqual([problem])
  })

  it('suggests a similar known name for an unknown field', () => {
    const host = {
      iptablesRandomfully: true,
      interfaces: [{ nmae: 'a', addresses: [], mtu: 1500 }],
    } as unknown as HostFacts
    const { diagnostics } = readInterfaceAddresses(host, NODE, V1_30)
    expect(diagnostics.map(({ path, expected }) => [path, expected])).toEqual([
      ['iptablesRandomfully', 'iptablesRandomFully'],
      ['interfaces[0].nmae', 'name'],
      ['interfaces[0].mtu', undefined],
    ])
  })
})
