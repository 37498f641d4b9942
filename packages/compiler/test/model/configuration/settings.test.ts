import type { HostFacts, IpFamily, Protocol } from '@kube-rules/types'
import { describe, expect, it } from 'vitest'
import { resolveConfiguration } from '../../../src/model/configuration/resolve-configuration.js'
import type { FamilySettings } from '../../../src/model/configuration/settings.js'
import { resolveNode } from '../../../src/model/node/resolve-node.js'

function settings(
  configuration: object,
  family: IpFamily = 'IPv4',
  host?: HostFacts,
  version = '1.37',
): FamilySettings {
  const resolved = resolveConfiguration({ configuration, kubernetesVersion: version })
  const { families } = resolveNode({ nodes: [], host, families: [family] }, resolved.configuration, resolved.features)
  if (families[0] === undefined) throw new Error('no family')
  return families[0].settings
}

describe('resolveNode', () => {
  it('returns the defaults of kube-proxy', () => {
    const { features, ...rest } = settings({})
    expect(rest).toEqual({
      masqueradeAll: false,
      masqueradeMark: 0x4000,
      localhostNodePorts: true,
      rejectedLocalhostNodePorts: [],
      randomFully: true,
      conntrackTcpBeLiberal: false,
      nfacctCounters: false,
      serviceNetworks: [],
      ipvs: { scheduler: '', excludeCidrs: [], strictArp: false, tcpTimeoutMs: 0, tcpFinTimeoutMs: 0, udpTimeoutMs: 0 },
    })
    expect(features.nodeHints).toBe(true)
  })

  it.each([
    [0, 1],
    [5, 0x20],
    [30, 0x40000000],
    [31, 0x80000000],
  ])('converts bit %i to an unsigned mark', (masqueradeBit, mark) => {
    expect(settings({ iptables: { masqueradeBit } }).masqueradeMark).toBe(mark)
  })

  it.each([
    ['iptables', true, 1],
    ['ipvs', true, 1],
    ['nftables', false, 2],
  ])('reads masquerading of mode %s from its section', (mode, masqueradeAll, masqueradeMark) => {
    const iptables = { masqueradeAll: true, masqueradeBit: 0 }
    const nftables = { masqueradeAll: false, masqueradeBit: 1 }
    expect(settings({ mode, iptables, nftables })).toMatchObject({ masqueradeAll, masqueradeMark })
  })

  it.each<[string, object, IpFamily, boolean]>([
    ['every address', {}, 'IPv4', true],
    ['IPv6', {}, 'IPv6', false],
    ['switched off', { iptables: { localhostNodePorts: false } }, 'IPv4', false],
    ['loopback selected', { nodePortAddresses: ['127.0.0.0/8'] }, 'IPv4', true],
    ['loopback not selected', { nodePortAddresses: ['192.168.0.0/16'] }, 'IPv4', false],
    ['only the other family selected', { nodePortAddresses: ['fd00::/8'] }, 'IPv4', true],
  ])('serves localhost node ports: %s', (_name, configuration, family, expected) => {
    expect(settings(configuration, family).localhostNodePorts).toBe(expected)
  })

  const gated = { mode: 'nftables', featureGates: { KubeProxyNFTablesLocalhostNodePorts: true } }
  const all: readonly Protocol[] = ['SCTP', 'TCP', 'UDP']
  const others: readonly Protocol[] = ['SCTP', 'UDP']

  it.each<[string, object, IpFamily, readonly Protocol[]]>([
    ['the gate is off', { mode: 'nftables' }, 'IPv4', []],
    ['another mode', { ...gated, mode: 'iptables' }, 'IPv4', []],
    ['no loopback addresses requested', gated, 'IPv4', all],
    ['all alpha features', { ...gated, featureGates: { AllAlpha: true } }, 'IPv4', all],
    ['all addresses', { ...gated, nodePortAddresses: ['all'] }, 'IPv4', all],
    ['every network', { ...gated, nodePortAddresses: ['0.0.0.0/0', '::/0'] }, 'IPv6', all],
    ['the keyword', { ...gated, nodePortAddresses: ['primary', 'localhost'] }, 'IPv6', others],
    ['the network', { ...gated, nodePortAddresses: ['127.0.0.0/8'] }, 'IPv4', others],
    ['an address in it', { ...gated, nodePortAddresses: ['127.0.0.2/32'] }, 'IPv4', others],
    ['a network around it', { ...gated, nodePortAddresses: ['126.0.0.0/7'] }, 'IPv4', others],
    ['a network that starts in it', { ...gated, nodePortAddresses: ['127.0.0.0/4'] }, 'IPv4', others],
    ['the address of IPv6', { ...gated, nodePortAddresses: ['::1/128'] }, 'IPv6', others],
    ['the address of the other family', { ...gated, nodePortAddresses: ['127.0.0.0/8'] }, 'IPv6', all],
  ])('rejects node ports on loopback: %s', (_name, configuration, family, expected) => {
    expect(settings(configuration, family).rejectedLocalhostNodePorts).toEqual(expected)
  })

  it('rejects none on loopback before the gate existed', () => {
    expect(settings({ mode: 'nftables', featureGates: { AllAlpha: true } }, 'IPv4', undefined, '1.36')).toMatchObject({
      rejectedLocalhostNodePorts: [],
    })
  })

  it('follows the host', () => {
    const host: HostFacts = { iptablesRandomFully: false, conntrackTcpBeLiberal: true, nfacctCounters: true }
    const expected = { randomFully: false, conntrackTcpBeLiberal: true, nfacctCounters: true }
    expect(settings({}, 'IPv4', host, '1.36')).toMatchObject(expected)
    expect(settings({}, 'IPv4', host, '1.31').nfacctCounters).toBe(false)
  })

  it('masquerades with --random-fully from 1.37 on, regardless of the host', () => {
    expect(settings({}, 'IPv4', { iptablesRandomFully: false }).randomFully).toBe(true)
  })

  it('reads the sysctl from the configuration unless the host sets it', () => {
    const configuration = { conntrack: { tcpBeLiberal: true } }
    expect(settings(configuration).conntrackTcpBeLiberal).toBe(true)
    expect(settings(configuration, 'IPv4', { conntrackTcpBeLiberal: false }).conntrackTcpBeLiberal).toBe(false)
  })

  it('ignores host flags of other types', () => {
    const host = { iptablesRandomFully: 'no', conntrackTcpBeLiberal: 1, nfacctCounters: 'yes' } as unknown as HostFacts
    const expected = { randomFully: true, conntrackTcpBeLiberal: false, nfacctCounters: false }
    expect(settings({}, 'IPv4', host)).toMatchObject(expected)
  })

  it('reads the ipvs section, with networks by family', () => {
    const ipvs = {
      scheduler: 'lc',
      strictARP: true,
      excludeCIDRs: ['10.0.0.1/8', 'fd00::/8', '11.0.0.0/8'],
      tcpTimeout: '15m',
      tcpFinTimeout: '1500us',
      udpTimeout: '1s',
    }
    const { excludeCidrs, ...rest } = settings({ mode: 'ipvs', ipvs }).ipvs
    expect(rest).toEqual({
      scheduler: 'lc',
      strictArp: true,
      tcpTimeoutMs: 900_000,
      tcpFinTimeoutMs: 1,
      udpTimeoutMs: 1000,
    })
    expect(excludeCidrs.map(({ text }) => text)).toEqual(['10.0.0.0/8', '11.0.0.0/8'])
    expect(settings({ mode: 'ipvs', ipvs }, 'IPv6').ipvs.excludeCidrs.map(({ text }) => text)).toEqual(['fd00::/8'])
  })

  it('treats an unknown mode as iptables', () => {
    const iptables = { masqueradeAll: true, masqueradeBit: 3 }
    expect(settings({ mode: 'kernelspace', iptables })).toEqual(settings({ mode: 'iptables', iptables }))
  })
})
