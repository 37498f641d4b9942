import { describe, expect, it } from 'vitest'
import {
  type Features,
  featuresOf,
  gateReleaseOf,
  NEWEST_VERSION,
  parseVersion,
  previousVersion,
  SUPPORTED_VERSIONS,
} from '../../src/configuration/features.js'

function features(version: string, gates: Record<string, boolean> = {}): Features {
  return featuresOf(version, new Map(Object.entries(gates)))
}

/** The versions, out of all supported ones, in which a feature is on without any gate set. */
function versionsWith(feature: keyof Features): readonly string[] {
  return SUPPORTED_VERSIONS.filter((version) => features(version)[feature])
}

describe('parseVersion', () => {
  it.each([
    ['1.30', '1.30'],
    ['v1.31.2', '1.31'],
    ['1.34.1', '1.34'],
    ['v1.33.5-gke.1080000', '1.33'],
    ['1.32.0+k3s1', '1.32'],
    ['1.37', '1.37'],
  ])('reads %s as %s', (text, version) => {
    expect(parseVersion(text)).toBe(version)
  })

  it.each(['1.29', '1.38', '1.3', '1.300', '2.30', '1', '', 'abc', 'v', '1.30.', '1.30 ', ' 1.30', '1.030', '1.30\n'])(
    'refuses %j',
    (text) => {
      expect(parseVersion(text)).toBeUndefined()
    },
  )

  it('ends with the newest version', () => {
    expect(SUPPORTED_VERSIONS.at(-1)).toBe(NEWEST_VERSION)
  })
})

describe('previousVersion', () => {
  it('names the minor version before', () => {
    expect(previousVersion('1.30')).toBe('1.29')
  })
})

describe('featuresOf without gates', () => {
  it('is that of the first release in 1.30', () => {
    expect(features('1.30')).toEqual({
      topologyHints: true,
      hintsNeedAnnotation: true,
      nodeHints: false,
      endpointsInSliceOrder: false,
      runningEndpointWins: false,
      zeroSourceRangeAcceptsAll: false,
      primaryNodePortAddresses: false,
      nodePortAddressWords: false,
      alwaysRandomFully: false,
      nfacctCounters: false,
      cleanupRemovesProxyFirewall: false,
      userspaceMode: false,
      destinationsWithLength: false,
      nftablesMode: false,
      nftables: {
        earlyFilters: true,
        masqueradeMatchesPort: true,
        firewallElementComments: true,
        interfacesByName: false,
        squashedEndpoints: false,
        singleEndpointDnat: false,
        cutComments: false,
      },
      nftablesLocalhostNodePorts: false,
      ipvsMode: true,
      externalIPs: true,
      loadBalancerIPMode: true,
      ipvsDeprecated: false,
      externalIPsDeprecated: false,
      unsetModeDeprecated: false,
    })
  })

  it.each<[keyof Features, string]>([
    ['topologyHints', '1.30'],
    ['nodeHints', '1.34'],
    ['endpointsInSliceOrder', '1.31'],
    ['runningEndpointWins', '1.36'],
    ['zeroSourceRangeAcceptsAll', '1.34'],
    ['primaryNodePortAddresses', '1.31'],
    ['nodePortAddressWords', '1.37'],
    ['alwaysRandomFully', '1.37'],
    ['nfacctCounters', '1.32'],
    ['cleanupRemovesProxyFirewall', '1.31'],
    ['nftablesMode', '1.31'],
    ['ipvsMode', '1.30'],
    ['externalIPs', '1.30'],
    ['loadBalancerIPMode', '1.30'],
    ['ipvsDeprecated', '1.35'],
    ['externalIPsDeprecated', '1.36'],
    ['unsetModeDeprecated', '1.37'],
  ])('has %s from %s on', (feature, since) => {
    expect(versionsWith(feature)).toEqual(SUPPORTED_VERSIONS.slice(SUPPORTED_VERSIONS.indexOf(since)))
  })

  it('needs the hints annotation in 1.30 only', () => {
    expect(versionsWith('hintsNeedAnnotation')).toEqual(['1.30'])
  })
})

describe('featuresOf with gates', () => {
  it('drops the annotation where ServiceTrafficDistribution is on', () => {
    expect(features('1.30', { ServiceTrafficDistribution: true }).hintsNeedAnnotation).toBe(false)
    expect(features('1.32', { ServiceTrafficDistribution: false }).hintsNeedAnnotation).toBe(true)
  })

  it('has topology hints while one of the two gates is on', () => {
    const off = { TopologyAwareHints: false }
    expect(features('1.30', off).topologyHints).toBe(false)
    expect(features('1.30', { ...off, ServiceTrafficDistribution: true }).topologyHints).toBe(true)
    expect(features('1.31', off).topologyHints).toBe(true)
    expect(features('1.31', { ...off, ServiceTrafficDistribution: false }).topologyHints).toBe(false)
  })

  it('cannot switch off what is stable', () => {
    expect(features('1.33', { TopologyAwareHints: false, ServiceTrafficDistribution: false }).topologyHints).toBe(true)
    expect(features('1.33', { NFTablesProxyMode: false }).nftablesMode).toBe(true)
    expect(features('1.35', { PreferSameTrafficDistribution: false }).nodeHints).toBe(true)
    expect(features('1.32', { LoadBalancerIPMode: false }).loadBalancerIPMode).toBe(true)
  })

  it('follows the gate while it is alpha or beta', () => {
    expect(features('1.30', { NFTablesProxyMode: true }).nftablesMode).toBe(true)
    expect(features('1.32', { NFTablesProxyMode: false }).nftablesMode).toBe(false)
    expect(features('1.33', { PreferSameTrafficDistribution: true }).nodeHints).toBe(true)
    expect(features('1.34', { PreferSameTrafficDistribution: false }).nodeHints).toBe(false)
    expect(features('1.31', { LoadBalancerIPMode: false }).loadBalancerIPMode).toBe(false)
  })

  it('does not know a gate before its first release', () => {
    expect(features('1.32', { PreferSameTrafficDistribution: true }).nodeHints).toBe(false)
    expect(gateReleaseOf('PreferSameTrafficDistribution', '1.32')).toBeUndefined()
  })

  it('switches off what is deprecated, by its own gate alone', () => {
    expect(features('1.36', { AllowServiceExternalIPs: false }).externalIPs).toBe(false)
    expect(features('1.37', { KubeProxyIPVS: false }).ipvsMode).toBe(false)
    expect(features('1.37', { AllAlpha: false, AllBeta: false })).toMatchObject({ externalIPs: true, ipvsMode: true })
  })

  it('has what a later version can switch off', () => {
    expect(features('1.35', { AllowServiceExternalIPs: false }).externalIPs).toBe(true)
    expect(features('1.36', { KubeProxyIPVS: false }).ipvsMode).toBe(true)
  })

  it('lets AllAlpha and AllBeta switch their stage, and the own name win', () => {
    expect(features('1.30', { AllAlpha: true }).nftablesMode).toBe(true)
    expect(features('1.30', { AllAlpha: true, NFTablesProxyMode: false }).nftablesMode).toBe(false)
    expect(features('1.30', { AllBeta: false }).loadBalancerIPMode).toBe(false)
    expect(features('1.30', { AllAlpha: true }).loadBalancerIPMode).toBe(true)
    expect(features('1.33', { AllBeta: false }).nftablesMode).toBe(true)
  })

  it('ignores names of prototypes', () => {
    const gates = new Map([
      ['constructor', true],
      ['__proto__', false],
    ])
    expect(featuresOf('1.30', gates)).toEqual(features('1.30'))
  })
})
