import { describe, expect, it } from 'vitest'
import {
  type FeatureName,
  type Features,
  featureGateReleaseOf,
  featuresOf,
  findVersionsWithFeatures,
} from '../../../src/model/configuration/features.js'
import { listValidProxyModes } from '../../../src/model/configuration/proxy-modes.js'
import { type ProxyMode, versionsOf } from '../../../src/model/configuration/versions.js'

const NO_GATES: ReadonlyMap<string, boolean> = new Map()

function features(version: string, gates: Record<string, boolean> = {}): Features {
  return featuresOf('iptables', version, new Map(Object.entries(gates)))
}

function modes(version: string, gates: Record<string, boolean> = {}): readonly string[] {
  return listValidProxyModes(version, new Map(Object.entries(gates)))
}

/** Returns the versions of a mode in which a feature is enabled without feature gates. */
function versionsOn(mode: ProxyMode, feature: FeatureName): readonly string[] {
  return versionsOf(mode).filter((version) => featuresOf(mode, version, NO_GATES)[feature])
}

/** Returns the versions of a mode from `since` to the last version before `until`; undefined means no limit. */
function between(mode: ProxyMode, since: string | undefined, until: string | undefined): readonly string[] {
  const versions = versionsOf(mode)
  const first = since === undefined ? 0 : versions.indexOf(since)
  return versions.slice(first, until === undefined ? undefined : versions.indexOf(until))
}

describe('featuresOf without feature gates', () => {
  it.each<[FeatureName, ProxyMode, string | undefined, string | undefined]>([
    ['topologyHints', 'iptables', '1.24', undefined],
    ['hintsNeedAnnotation', 'iptables', undefined, '1.31'],
    ['emptyZoneHints', 'iptables', '1.33', undefined],
    ['nodeHints', 'iptables', '1.34', undefined],
    ['endpointsInSliceOrder', 'ipvs', '1.31', undefined],
    ['runningEndpointWins', 'iptables', '1.36', undefined],
    ['zeroNetworksMatchAll', 'nftables', '1.34', undefined],
    ['primaryNodePortAddresses', 'iptables', '1.31', undefined],
    ['primaryNodePortAddressesByDefault', 'nftables', '1.31', undefined],
    ['ownNodePortAddress', 'nftables', '1.30', '1.31'],
    ['nodePortAddressWords', 'iptables', '1.37', undefined],
    ['alwaysRandomFully', 'ipvs', '1.37', undefined],
    ['nfacctCounters', 'iptables', '1.32', undefined],
    ['cleanupRemovesProxyFirewall', 'iptables', '1.31', undefined],
    ['externalIPs', 'userspace', undefined, undefined],
    ['loadBalancerIPMode', 'iptables', '1.30', undefined],
    ['modeDeprecated', 'ipvs', '1.35', undefined],
    ['healthOfFamilies', 'nftables', '1.33', undefined],
    ['keepsZone', 'nftables', '1.35', '1.37'],
    ['healthNeedsNode', 'nftables', '1.35', undefined],
    ['externalIPsDeprecated', 'iptables', '1.36', undefined],
    ['unsetModeDeprecated', 'iptables', '1.37', undefined],
    ['connectionsTaken', 'userspace', undefined, undefined],
    ['destinationsWithLength', 'userspace', undefined, '1.23'],
    ['earlyFilters', 'nftables', undefined, '1.34'],
    ['masqueradeMatchesPort', 'nftables', undefined, '1.34'],
    ['firewallElementComments', 'nftables', undefined, '1.32'],
    ['interfacesByName', 'nftables', '1.35', undefined],
    ['squashedEndpoints', 'nftables', '1.36', undefined],
    ['singleEndpointDnat', 'nftables', '1.37', undefined],
    ['cutComments', 'nftables', '1.37', undefined],
  ])('enables %s in %s mode only in the versions from %s to before %s', (feature, mode, since, until) => {
    expect(versionsOn(mode, feature)).toEqual(between(mode, since, until))
  })

  it.each<[FeatureName, ProxyMode]>([
    ['earlyFilters', 'iptables'],
    ['modeDeprecated', 'iptables'],
    ['localhostNodePorts', 'ipvs'],
    ['connectionsTaken', 'nftables'],
    ['healthCheckNodePorts', 'userspace'],
  ])('never enables %s in %s mode', (feature, mode) => {
    expect(versionsOn(mode, feature)).toEqual([])
  })
})

describe('findVersionsWithFeatures', () => {
  it('returns all versions of a mode if no features are required', () => {
    expect(findVersionsWithFeatures('userspace', {})).toEqual(versionsOf('userspace'))
  })

  it('returns the versions in which every feature has the required state', () => {
    expect(findVersionsWithFeatures('nftables', { earlyFilters: true, firewallElementComments: false })).toEqual([
      '1.32',
      '1.33',
    ])
    expect(findVersionsWithFeatures('nftables', { earlyFilters: true, squashedEndpoints: true })).toEqual([])
  })

  it('returns the versions in which a gate can enable the required feature', () => {
    const [first] = findVersionsWithFeatures('nftables', { rejectedLocalhostNodePorts: true })
    expect(first).toBe('1.37')
    expect(findVersionsWithFeatures('nftables', { rejectedLocalhostNodePorts: false })).toEqual(versionsOf('nftables'))
  })
})

describe('featuresOf with feature gates', () => {
  it('requires no annotation for topology hints if the gate ServiceTrafficDistribution is on', () => {
    expect(features('1.30', { ServiceTrafficDistribution: true }).hintsNeedAnnotation).toBe(false)
    expect(features('1.32', { ServiceTrafficDistribution: false }).hintsNeedAnnotation).toBe(true)
  })

  it.each(['1.30', '1.31', '1.32'])(
    'enables topology hints in %s if TopologyAwareHints is on, whatever ServiceTrafficDistribution is',
    (version) => {
      for (const ServiceTrafficDistribution of [true, false]) {
        expect(features(version, { TopologyAwareHints: false, ServiceTrafficDistribution }).topologyHints).toBe(false)
        expect(features(version, { TopologyAwareHints: true, ServiceTrafficDistribution }).topologyHints).toBe(true)
      }
    },
  )

  it('ignores a gate that disables a stable feature', () => {
    expect(features('1.33', { TopologyAwareHints: false, ServiceTrafficDistribution: false }).topologyHints).toBe(true)
    expect(modes('1.33', { NFTablesProxyMode: false })).toContain('nftables')
    expect(features('1.35', { PreferSameTrafficDistribution: false }).nodeHints).toBe(true)
    expect(features('1.32', { LoadBalancerIPMode: false }).loadBalancerIPMode).toBe(true)
  })

  it('sets an alpha or beta feature to the value of its gate', () => {
    expect(modes('1.30', { NFTablesProxyMode: true })).toContain('nftables')
    expect(modes('1.32', { NFTablesProxyMode: false })).not.toContain('nftables')
    expect(features('1.33', { PreferSameTrafficDistribution: true }).nodeHints).toBe(true)
    expect(features('1.34', { PreferSameTrafficDistribution: false }).nodeHints).toBe(false)
    expect(features('1.31', { LoadBalancerIPMode: false }).loadBalancerIPMode).toBe(false)
  })

  it('ignores a gate in versions before its first release', () => {
    expect(features('1.32', { PreferSameTrafficDistribution: true }).nodeHints).toBe(false)
    expect(featureGateReleaseOf('PreferSameTrafficDistribution', '1.32')).toBeUndefined()
  })

  it('disables a deprecated feature only if its own gate is off, not if AllAlpha or AllBeta is off', () => {
    expect(features('1.36', { AllowServiceExternalIPs: false }).externalIPs).toBe(false)
    expect(modes('1.37', { KubeProxyIPVS: false })).not.toContain('ipvs')
    expect(features('1.37', { AllAlpha: false, AllBeta: false }).externalIPs).toBe(true)
    expect(modes('1.37', { AllAlpha: false, AllBeta: false })).toContain('ipvs')
  })

  it('ignores the gate of a deprecated feature in versions before the deprecation', () => {
    expect(features('1.35', { AllowServiceExternalIPs: false }).externalIPs).toBe(true)
    expect(modes('1.36', { KubeProxyIPVS: false })).toContain('ipvs')
  })

  it('applies AllAlpha and AllBeta to all gates of the stage that have no value of their own', () => {
    expect(modes('1.30', { AllAlpha: true })).toContain('nftables')
    expect(modes('1.30', { AllAlpha: true, NFTablesProxyMode: false })).not.toContain('nftables')
    expect(features('1.30', { AllBeta: false }).loadBalancerIPMode).toBe(false)
    expect(features('1.30', { AllAlpha: true }).loadBalancerIPMode).toBe(true)
    expect(modes('1.33', { AllBeta: false })).toContain('nftables')
  })

  it('ignores gates with the names of prototype members', () => {
    const gates = new Map([
      ['constructor', true],
      ['__proto__', false],
    ])
    expect(featuresOf('iptables', '1.30', gates)).toEqual(features('1.30'))
  })
})
