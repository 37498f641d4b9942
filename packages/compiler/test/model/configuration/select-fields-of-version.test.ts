import { describe, expect, it } from 'vitest'
import { resolveConfiguration } from '../../../src/model/configuration/resolve-configuration.js'

function problems(configuration: unknown, kubernetesVersion: string): readonly string[] {
  return resolveConfiguration({ configuration, kubernetesVersion }).diagnostics.map(
    ({ severity, code, path, message }) => `${severity} ${code} ${path}: ${message}`,
  )
}

describe('resolveConfiguration for an older version', () => {
  it.each<[string, object, string, string]>([
    ['ipvs.strictARP', { ipvs: { strictARP: true } }, '1.14', '1.15'],
    ['detectLocalMode', { detectLocalMode: 'NodeCIDR' }, '1.17', '1.18'],
    ['bindAddressHardFail', { bindAddressHardFail: true }, '1.18', '1.19'],
    ['detectLocal', { detectLocal: { bridgeInterface: 'cbr0' } }, '1.23', '1.24'],
    ['iptables.localhostNodePorts', { iptables: { localhostNodePorts: false } }, '1.25', '1.26'],
    ['nftables', { nftables: { masqueradeAll: true } }, '1.28', '1.29'],
    ['conntrack.tcpBeLiberal', { conntrack: { tcpBeLiberal: true } }, '1.28', '1.29'],
  ])('ignores %s with a warning in versions before the field was added', (path, configuration, before, since) => {
    expect(problems(configuration, before)).toEqual([
      `warning unknownField ${path}: unknown to kube-proxy ${before}, ignored`,
    ])
    expect(problems(configuration, since)).toEqual([])
  })

  it('sets an ignored field to its default', () => {
    const configuration = { iptables: { localhostNodePorts: false, masqueradeAll: true }, detectLocalMode: 'NodeCIDR' }
    const { configuration: read } = resolveConfiguration({ configuration, kubernetesVersion: '1.17' })
    expect(read.iptables).toMatchObject({ localhostNodePorts: true, masqueradeAll: true })
    expect(read.detectLocalMode).toBe('ClusterCIDR')
  })

  it('reads a field if only later versions have removed it', () => {
    expect(problems({ udpIdleTimeout: '250ms' }, '1.25')).toEqual([])
    expect(problems({ udpIdleTimeout: '250ms' }, '1.26')).toEqual([
      'warning unknownField udpIdleTimeout: unknown field, ignored',
    ])
  })
})

describe('validation of a configuration for a version', () => {
  const NAME = 'KubeProxyConfiguration'

  it('accepts a clusterCIDR with two networks from version 1.21 on, or with the gate', () => {
    const clusterCIDR = '10.244.0.0/16,fd00:10:244::/48'
    expect(problems({ clusterCIDR }, '1.20')).toEqual([
      `error invalidConfiguration clusterCIDR: ${NAME}.ClusterCIDR: Invalid value: "${clusterCIDR}": only one CIDR allowed (e.g. 10.100.0.0/16 or fde4:8dba:82e1::/48)`,
    ])
    expect(problems({ clusterCIDR, featureGates: { IPv6DualStack: true } }, '1.20')).toEqual([])
    expect(problems({ clusterCIDR }, '1.21')).toEqual([])
  })

  it('checks the name of the ipvs scheduler up to version 1.26', () => {
    const configuration = { mode: 'ipvs', ipvs: { scheduler: 'mh' } }
    expect(problems(configuration, '1.26')).toEqual([
      `error invalidConfiguration ipvs.scheduler: ${NAME}.KubeProxyIPVSConfiguration.Scheduler: Invalid value: "mh": must be in [rr wrr lc wlc lblc lblcr sh dh sed nq ], blank means the default algorithm method (currently rr)`,
    ])
    expect(problems(configuration, '1.27')).toEqual([])
    expect(problems({ mode: 'ipvs', ipvs: { scheduler: 'nq' } }, '1.14')).toEqual([])
  })

  it('rejects local traffic detection by interface up to version 1.23', () => {
    expect(problems({ detectLocalMode: 'BridgeInterface' }, '1.23')).toEqual([
      `error invalidConfiguration detectLocalMode: ${NAME}.DetectLocalMode: Invalid value: "BridgeInterface": unknown detect-local-mode`,
    ])
  })

  it('rejects feature gates that only newer versions have', () => {
    const configuration = { mode: 'nftables', featureGates: { KubeProxyNFTablesLocalhostNodePorts: true } }
    expect(problems(configuration, '1.37')).toEqual([])
    expect(problems(configuration, '1.36')).toEqual([
      `error invalidConfiguration featureGates.KubeProxyNFTablesLocalhostNodePorts: ${NAME}.featureGates: Invalid value: true: unrecognized feature gate: "KubeProxyNFTablesLocalhostNodePorts"`,
    ])
  })

  it.each([
    // Gates of client-go that a proxy uses, and gates of other components that clusters set everywhere.
    ['1.36', '1.35', 'AtomicFIFO ClientsAllowCARotation ClientsAllowTLSCacheGC InOrderInformersBatchProcess'],
    ['1.36', '1.35', 'UnlockWhileProcessingFIFO CRIListStreaming NativeHistograms PodsAPI ShardedListAndWatch'],
    ['1.37', '1.36', 'CompositePodGroup EtcdRangeStream VolumeBindMountOptions'],
  ])('accepts feature gates of %s without effect on rules, but not in %s: %s', (version, before, names) => {
    const featureGates = Object.fromEntries(names.split(' ').map((name) => [name, true]))
    expect(problems({ mode: 'iptables', featureGates }, version)).toEqual([])
    expect(problems({ mode: 'iptables', featureGates }, before)).toHaveLength(names.split(' ').length)
  })

  it.each(['CustomCPUCFSQuotaPeriod', 'RuntimeClassInImageCriApi'])('accepts the feature gate %s', (name) => {
    expect(problems({ mode: 'iptables', featureGates: { [name]: true } }, '1.34')).toEqual([])
  })

  it('rejects feature gates that only older versions have', () => {
    const featureGates = { EndpointSliceProxying: true }
    expect(problems({ featureGates }, '1.18')).toEqual([])
    expect(problems({ featureGates }, '1.30')).toEqual([
      `error invalidConfiguration featureGates.EndpointSliceProxying: ${NAME}.featureGates: Invalid value: true: unrecognized feature gate: "EndpointSliceProxying"`,
    ])
  })
})
