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
  it('returns the defaults of kube-proxy if the configuration is empty', () => {
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
  ])('converts masquerade bit %i to an unsigned mark', (masqueradeBit, mark) => {
    expect(settings({ iptables: { masqueradeBit } }).masqueradeMark).toBe(mark)
  })

  it.each([
    ['iptables', true, 1],
    ['ipvs', true, 1],
    ['nftables', false, 2],
  ])('reads masqueradeBit and masqueradeAll of %s mode from its section', (mode, masqueradeAll, masqueradeMark) => {
    const iptables = { masqueradeAll: true, masqueradeBit: 0 }
    const nftables = { masqueradeAll: false, masqueradeBit: 1 }
    expect(settings({ mode, iptables, nftables })).toMatchObject({ masqueradeAll, masqueradeMark })
  })

  it.each<[string, object, IpFamily, boolean]>([
    ['no nodePortAddresses', {}, 'IPv4', true],
    ['family IPv6', {}, 'IPv6', false],
    ['localhostNodePorts false in the configuration', { iptables: { localhostNodePorts: false } }, 'IPv4', false],
    ['nodePortAddresses with the loopback network', { nodePortAddresses: ['127.0.0.0/8'] }, 'IPv4', true],
    ['nodePortAddresses without the loopback network', { nodePortAddresses: ['192.168.0.0/16'] }, 'IPv4', false],
    ['nodePortAddresses of the other family only', { nodePortAddresses: ['fd00::/8'] }, 'IPv4', true],
  ])('returns localhostNodePorts for %s', (_name, configuration, family, expected) => {
    expect(settings(configuration, family).localhostNodePorts).toBe(expected)
  })

  const gated = { mode: 'nftables', featureGates: { KubeProxyNFTablesLocalhostNodePorts: true } }
  const all: readonly Protocol[] = ['SCTP', 'TCP', 'UDP']
  const others: readonly Protocol[] = ['SCTP', 'UDP']

  it.each<[string, object, IpFamily, readonly Protocol[]]>([
    ['a gate that is off', { mode: 'nftables' }, 'IPv4', []],
    ['iptables mode', { ...gated, mode: 'iptables' }, 'IPv4', []],
    ['no nodePortAddresses', gated, 'IPv4', all],
    ['the gate AllAlpha', { ...gated, featureGates: { AllAlpha: true } }, 'IPv4', all],
    ['nodePortAddresses "all"', { ...gated, nodePortAddresses: ['all'] }, 'IPv4', all],
    ['the networks of all addresses', { ...gated, nodePortAddresses: ['0.0.0.0/0', '::/0'] }, 'IPv6', all],
    ['nodePortAddresses "localhost"', { ...gated, nodePortAddresses: ['primary', 'localhost'] }, 'IPv6', others],
    ['the loopback network', { ...gated, nodePortAddresses: ['127.0.0.0/8'] }, 'IPv4', others],
    ['a single loopback address', { ...gated, nodePortAddresses: ['127.0.0.2/32'] }, 'IPv4', others],
    ['a network that contains the loopback network', { ...gated, nodePortAddresses: ['126.0.0.0/7'] }, 'IPv4', others],
    [
      'a network that contains the loopback network and has its first address',
      { ...gated, nodePortAddresses: ['127.0.0.0/4'] },
      'IPv4',
      others,
    ],
    ['the IPv6 loopback address', { ...gated, nodePortAddresses: ['::1/128'] }, 'IPv6', others],
    ['the loopback network of the other family', { ...gated, nodePortAddresses: ['127.0.0.0/8'] }, 'IPv6', all],
  ])('returns the protocols of rejected node ports on loopback for %s', (_name, configuration, family, expected) => {
    expect(settings(configuration, family).rejectedLocalhostNodePorts).toEqual(expected)
  })

  it('returns no rejected node ports on loopback in versions before the gate', () => {
    expect(settings({ mode: 'nftables', featureGates: { AllAlpha: true } }, 'IPv4', undefined, '1.36')).toMatchObject({
      rejectedLocalhostNodePorts: [],
    })
  })

  it('sets randomFully, conntrackTcpBeLiberal and nfacctCounters to the values of the host', () => {
    const host: HostFacts = { iptablesRandomFully: false, conntrackTcpBeLiberal: true, nfacctCounters: true }
    const expected = { randomFully: false, conntrackTcpBeLiberal: true, nfacctCounters: true }
    expect(settings({}, 'IPv4', host, '1.36')).toMatchObject(expected)
    expect(settings({}, 'IPv4', host, '1.31').nfacctCounters).toBe(false)
  })

  it('enables --random-fully from version 1.37, even if the host does not support it', () => {
    expect(settings({}, 'IPv4', { iptablesRandomFully: false }).randomFully).toBe(true)
  })

  it('reads conntrackTcpBeLiberal from the configuration unless the host sets the value', () => {
    const configuration = { conntrack: { tcpBeLiberal: true } }
    expect(settings(configuration).conntrackTcpBeLiberal).toBe(true)
    expect(settings(configuration, 'IPv4', { conntrackTcpBeLiberal: false }).conntrackTcpBeLiberal).toBe(false)
  })

  it('ignores host values of the wrong type', () => {
    const host = { iptablesRandomFully: 'no', conntrackTcpBeLiberal: 1, nfacctCounters: 'yes' } as unknown as HostFacts
    const expected = { randomFully: true, conntrackTcpBeLiberal: false, nfacctCounters: false }
    expect(settings({}, 'IPv4', host)).toMatchObject(expected)
  })

  it('reads the ipvs section, but only the excluded networks of the family', () => {
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

  it('returns the settings of iptables mode if the mode is unknown', () => {
    const iptables = { masqueradeAll: true, masqueradeBit: 3 }
    expect(settings({ mode: 'kernelspace', iptables })).toEqual(settings({ mode: 'iptables', iptables }))
  })
})
