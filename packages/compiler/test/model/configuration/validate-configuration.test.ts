import { describe, expect, it } from 'vitest'
import { resolveConfiguration } from '../../../src/model/configuration/resolve-configuration.js'

/** Formats every validation error as `path: message`. */
function violations(configuration: unknown, version = '1.30'): readonly string[] {
  return resolveConfiguration({ configuration, kubernetesVersion: version })
    .diagnostics.filter(({ code }) => code === 'invalidConfiguration')
    .map(({ path, message }) => `${path}: ${message.replace(/^KubeProxyConfiguration\./, '')}`)
}

type Row = readonly [rule: string, good: object, bad: object, violation: string]

const IPTABLES = 'KubeProxyIPTablesConfiguration'
const IPVS = 'KubeProxyIPVSConfiguration'
const NFTABLES = 'KubeProxyNFTablesConfiguration'
const CONNTRACK = 'KubeProxyConntrackConfiguration'
const NOT_NEGATIVE = 'must be greater than or equal to 0'

const rows: readonly Row[] = [
  [
    'apiVersion',
    { apiVersion: 'kubeproxy.config.k8s.io/v1alpha1' },
    { apiVersion: 'kubeproxy.config.k8s.io/v1' },
    'apiVersion: apiVersion: Invalid value: "kubeproxy.config.k8s.io/v1": must be kubeproxy.config.k8s.io/v1alpha1',
  ],
  [
    'kind',
    { kind: 'KubeProxyConfiguration' },
    { kind: 'KubeletConfiguration' },
    'kind: kind: Invalid value: "KubeletConfiguration": must be KubeProxyConfiguration',
  ],
  [
    'unknown gate',
    { featureGates: { TopologyAwareHints: false, AllAlpha: true } },
    { featureGates: { Nonsense: true } },
    'featureGates.Nonsense: featureGates: Invalid value: true: unrecognized feature gate: "Nonsense"',
  ],
  [
    'gate of a later version',
    { featureGates: { ServiceTrafficDistribution: true } },
    { featureGates: { PreferSameTrafficDistribution: true } },
    'featureGates.PreferSameTrafficDistribution: featureGates: Invalid value: true: unrecognized feature gate: "PreferSameTrafficDistribution"',
  ],
  [
    'iptables masqueradeBit, upper bound',
    { iptables: { masqueradeBit: 31 } },
    { iptables: { masqueradeBit: 32 } },
    `iptables.masqueradeBit: ${IPTABLES}.MasqueradeBit: Invalid value: 32: must be within the range [0, 31]`,
  ],
  [
    'iptables masqueradeBit, lower bound, in ipvs mode too',
    { mode: 'ipvs', iptables: { masqueradeBit: 0 } },
    { mode: 'ipvs', iptables: { masqueradeBit: -1 } },
    `iptables.masqueradeBit: ${IPTABLES}.MasqueradeBit: Invalid value: -1: must be within the range [0, 31]`,
  ],
  [
    'iptables minSyncPeriod not negative',
    { iptables: { minSyncPeriod: '1ns' } },
    { iptables: { minSyncPeriod: '-1s' } },
    `iptables.minSyncPeriod: ${IPTABLES}.MinSyncPeriod: Invalid value: -1s: ${NOT_NEGATIVE}`,
  ],
  [
    'iptables minSyncPeriod at most syncPeriod',
    { iptables: { syncPeriod: '5s', minSyncPeriod: '5s' } },
    { iptables: { syncPeriod: '5s', minSyncPeriod: '6s' } },
    `iptables.syncPeriod: ${IPTABLES}.SyncPeriod: Invalid value: 6s: must be greater than or equal to KubeProxyConfiguration.${IPTABLES}.MinSyncPeriod`,
  ],
  [
    'ipvs minSyncPeriod',
    { mode: 'ipvs', ipvs: { minSyncPeriod: '0s' } },
    { mode: 'ipvs', ipvs: { minSyncPeriod: '-5ms' } },
    `ipvs.minSyncPeriod: ${IPVS}.MinSyncPeriod: Invalid value: -0.005s: ${NOT_NEGATIVE}`,
  ],
  [
    'ipvs minSyncPeriod at most syncPeriod',
    { mode: 'ipvs', ipvs: { minSyncPeriod: '30s' } },
    { mode: 'ipvs', ipvs: { minSyncPeriod: '31s' } },
    `ipvs.syncPeriod: ${IPVS}.SyncPeriod: Invalid value: 31s: must be greater than or equal to KubeProxyConfiguration.${IPVS}.MinSyncPeriod`,
  ],
  [
    'ipvs tcpTimeout',
    { mode: 'ipvs', ipvs: { tcpTimeout: '0s' } },
    { mode: 'ipvs', ipvs: { tcpTimeout: '-1s' } },
    `ipvs.tcpTimeout: ${IPVS}.TCPTimeout: Invalid value: -1s: ${NOT_NEGATIVE}`,
  ],
  [
    'ipvs tcpFinTimeout',
    { mode: 'ipvs', ipvs: { tcpFinTimeout: '1s' } },
    { mode: 'ipvs', ipvs: { tcpFinTimeout: '-1s' } },
    `ipvs.tcpFinTimeout: ${IPVS}.TCPFinTimeout: Invalid value: -1s: ${NOT_NEGATIVE}`,
  ],
  [
    'ipvs udpTimeout',
    { mode: 'ipvs', ipvs: { udpTimeout: '1s' } },
    { mode: 'ipvs', ipvs: { udpTimeout: '-1s' } },
    `ipvs.udpTimeout: ${IPVS}.UDPTimeout: Invalid value: -1s: ${NOT_NEGATIVE}`,
  ],
  [
    'ipvs excludeCIDRs',
    { mode: 'ipvs', ipvs: { excludeCIDRs: ['10.0.0.0/8', 'fd00::/8'] } },
    { mode: 'ipvs', ipvs: { excludeCIDRs: ['10.0.0.0/8', '10.0.0.1'] } },
    `ipvs.excludeCIDRs[1]: ${IPVS}.ExcludeCidrs[1]: Invalid value: "10.0.0.1": must be a valid CIDR`,
  ],
  [
    'ipvs scheduler',
    { mode: 'ipvs', ipvs: { scheduler: 'wlc' } },
    { mode: 'ipvs', ipvs: { scheduler: 'rr -x' } },
    `ipvs.scheduler: ${IPVS}.Scheduler: Invalid value: "rr -x": must be at most 15 lower-case letters, digits, hyphens and underscores`,
  ],
  [
    'the section of another mode',
    { mode: 'iptables', ipvs: { excludeCIDRs: ['x'], tcpTimeout: '-1s' }, nftables: { masqueradeBit: 99 } },
    { mode: 'ipvs', ipvs: { excludeCIDRs: ['x'] }, nftables: { masqueradeBit: 99 } },
    `ipvs.excludeCIDRs[0]: ${IPVS}.ExcludeCidrs[0]: Invalid value: "x": must be a valid CIDR`,
  ],
  [
    'conntrack maxPerCore',
    { conntrack: { maxPerCore: 0 } },
    { conntrack: { maxPerCore: -1 } },
    `conntrack.maxPerCore: ${CONNTRACK}.MaxPerCore: Invalid value: -1: ${NOT_NEGATIVE}`,
  ],
  [
    'conntrack min',
    { conntrack: { min: 0 } },
    { conntrack: { min: -2 } },
    `conntrack.min: ${CONNTRACK}.Min: Invalid value: -2: ${NOT_NEGATIVE}`,
  ],
  [
    'conntrack tcpEstablishedTimeout',
    { conntrack: { tcpEstablishedTimeout: '0s' } },
    { conntrack: { tcpEstablishedTimeout: '-5s' } },
    `conntrack.tcpEstablishedTimeout: ${CONNTRACK}.TCPEstablishedTimeout: Invalid value: -5s: ${NOT_NEGATIVE}`,
  ],
  [
    'conntrack tcpCloseWaitTimeout',
    { conntrack: { tcpCloseWaitTimeout: '0s' } },
    { conntrack: { tcpCloseWaitTimeout: '-5s' } },
    `conntrack.tcpCloseWaitTimeout: ${CONNTRACK}.TCPCloseWaitTimeout: Invalid value: -5s: ${NOT_NEGATIVE}`,
  ],
  [
    'conntrack udpTimeout',
    { conntrack: { udpTimeout: '5s' } },
    { conntrack: { udpTimeout: '-5s' } },
    `conntrack.udpTimeout: ${CONNTRACK}.UDPTimeout: Invalid value: -5s: ${NOT_NEGATIVE}`,
  ],
  [
    'conntrack udpStreamTimeout',
    { conntrack: { udpStreamTimeout: '5s' } },
    { conntrack: { udpStreamTimeout: '-5s' } },
    `conntrack.udpStreamTimeout: ${CONNTRACK}.UDPStreamTimeout: Invalid value: -5s: ${NOT_NEGATIVE}`,
  ],
  [
    'mode',
    { mode: '' },
    { mode: 'kernelspace' },
    'mode: Mode.ProxyMode: Invalid value: "kernelspace": must be iptables, ipvs or blank (blank means the best-available proxy [currently iptables])',
  ],
  [
    'nftables mode without its gate',
    { mode: 'nftables', featureGates: { NFTablesProxyMode: true } },
    { mode: 'nftables' },
    'mode: Mode.ProxyMode: Invalid value: "nftables": must be iptables, ipvs or blank (blank means the best-available proxy [currently iptables])',
  ],
  [
    'clientConnection.burst',
    { clientConnection: { burst: 0 } },
    { clientConnection: { burst: -5 } },
    'clientConnection.burst: ClientConnection.Burst: Invalid value: -5: must be non-negative',
  ],
  [
    'oomScoreAdj, lower bound',
    { oomScoreAdj: -1000 },
    { oomScoreAdj: -1001 },
    'oomScoreAdj: OOMScoreAdj: Invalid value: -1001: must be within the range [-1000, 1000]',
  ],
  [
    'oomScoreAdj, upper bound',
    { oomScoreAdj: 1000 },
    { oomScoreAdj: 1001 },
    'oomScoreAdj: OOMScoreAdj: Invalid value: 1001: must be within the range [-1000, 1000]',
  ],
  [
    'configSyncPeriod',
    { configSyncPeriod: '1ms' },
    { configSyncPeriod: '-1s' },
    'configSyncPeriod: ConfigSyncPeriod: Invalid value: -1s: must be greater than 0',
  ],
  [
    'bindAddress',
    { bindAddress: '192.168.59.103' },
    { bindAddress: '10.10.12.11:2000' },
    'bindAddress: BindAddress: Invalid value: "10.10.12.11:2000": not a valid textual representation of an IP address',
  ],
  [
    'healthzBindAddress without port',
    { healthzBindAddress: '[fd00::1]:10256' },
    { healthzBindAddress: 'localhost' },
    'healthzBindAddress: HealthzBindAddress: Invalid value: "localhost": must be IP:port',
  ],
  [
    'healthzBindAddress with a name',
    { healthzBindAddress: '0.0.0.0:1' },
    { healthzBindAddress: 'localhost:10256' },
    'healthzBindAddress: HealthzBindAddress: Invalid value: "localhost": must be a valid IP',
  ],
  [
    'metricsBindAddress with port 0',
    { metricsBindAddress: '127.0.0.1:65535' },
    { metricsBindAddress: '127.0.0.1:0' },
    'metricsBindAddress: MetricsBindAddress: Invalid value: "0": must be a valid port',
  ],
  [
    'metricsBindAddress with port 65536',
    { metricsBindAddress: '127.0.0.1:1' },
    { metricsBindAddress: '127.0.0.1:65536' },
    'metricsBindAddress: MetricsBindAddress: Invalid value: "65536": must be a valid port',
  ],
  [
    'metricsBindAddress with a named port',
    { metricsBindAddress: '127.0.0.1:10249' },
    { metricsBindAddress: '127.0.0.1:http' },
    'metricsBindAddress: MetricsBindAddress: Invalid value: "http": must be a valid port',
  ],
  [
    'clusterCIDR, one',
    { clusterCIDR: 'fd00:10:244::/48' },
    { clusterCIDR: '192.168.59.0' },
    'clusterCIDR: ClusterCIDR: Invalid value: "192.168.59.0": must be a valid CIDR block (e.g. 10.100.0.0/16 or fde4:8dba:82e1::/48)',
  ],
  [
    'clusterCIDR, two',
    { clusterCIDR: 'fd00:192:168::/64,192.168.59.0/24' },
    { clusterCIDR: '192.168.0.0/16,10.0.0.0/8' },
    'clusterCIDR: ClusterCIDR: Invalid value: "192.168.0.0/16,10.0.0.0/8": must be a valid DualStack CIDR (e.g. 10.100.0.0/16,fde4:8dba:82e1::/48)',
  ],
  [
    'clusterCIDR, two with a blank',
    { clusterCIDR: '192.168.59.0/24,fd00:192:168::/64' },
    { clusterCIDR: '192.168.59.0/24, fd00:192:168::/64' },
    'clusterCIDR: ClusterCIDR: Invalid value: "192.168.59.0/24, fd00:192:168::/64": must be a valid DualStack CIDR (e.g. 10.100.0.0/16,fde4:8dba:82e1::/48)',
  ],
  [
    'clusterCIDR, three',
    { clusterCIDR: '10.0.0.0/8' },
    { clusterCIDR: '10.0.0.0/8,fd00::/8,11.0.0.0/8' },
    'clusterCIDR: ClusterCIDR: Invalid value: "10.0.0.0/8,fd00::/8,11.0.0.0/8": only one CIDR allowed or a valid DualStack CIDR (e.g. 10.100.0.0/16,fde4:8dba:82e1::/48)',
  ],
  [
    'portRange without number',
    { portRange: '300-2000' },
    { portRange: 'abc' },
    'portRange: PortRange: Invalid value: "abc": must be a valid port range (e.g. 300-2000)',
  ],
  [
    'portRange backwards',
    { portRange: '300+10' },
    { portRange: '300-299' },
    'portRange: PortRange: Invalid value: "300-299": must be a valid port range (e.g. 300-2000)',
  ],
  [
    'portRange too high',
    { portRange: ' 65535 ' },
    { portRange: '65530+6' },
    'portRange: PortRange: Invalid value: "65530+6": must be a valid port range (e.g. 300-2000)',
  ],
  [
    'nodePortAddresses',
    { nodePortAddresses: ['10.0.0.0/8', '::/0'] },
    { nodePortAddresses: ['10.0.0.0/8', '127.0.0.1'] },
    'nodePortAddresses[1]: NodePortAddresses[1]: Invalid value: "127.0.0.1": must be a valid CIDR',
  ],
  [
    'nodePortAddresses with primary in 1.30',
    { nodePortAddresses: ['127.0.0.1/32'] },
    { nodePortAddresses: ['primary'] },
    'nodePortAddresses[0]: NodePortAddresses[0]: Invalid value: "primary": must be a valid CIDR',
  ],
  [
    'showHiddenMetricsForVersion',
    { showHiddenMetricsForVersion: '1.29' },
    { showHiddenMetricsForVersion: '1.28' },
    'showHiddenMetricsForVersion: ShowHiddenMetricsForVersion: Invalid value: "1.28": --show-hidden-metrics-for-version must be omitted or have the value \'1.29\'. Only the previous minor version is allowed',
  ],
  [
    'detectLocalMode',
    { detectLocalMode: 'NodeCIDR' },
    { detectLocalMode: 'Guess' },
    'detectLocalMode: DetectLocalMode: Invalid value: "Guess": must be BridgeInterface,ClusterCIDR,InterfaceNamePrefix,NodeCIDR or blank',
  ],
  [
    'bridgeInterface missing',
    { detectLocalMode: 'BridgeInterface', detectLocal: { bridgeInterface: 'avz0' } },
    { detectLocalMode: 'BridgeInterface', detectLocal: { interfaceNamePrefix: 'avz' } },
    'detectLocal.bridgeInterface: InterfaceName: Invalid value: "": must not be empty',
  ],
  [
    'interfaceNamePrefix blank',
    { detectLocalMode: 'InterfaceNamePrefix', detectLocal: { interfaceNamePrefix: 'avz' } },
    { detectLocalMode: 'InterfaceNamePrefix', detectLocal: { interfaceNamePrefix: '  ' } },
    'detectLocal.interfaceNamePrefix: InterfacePrefix: Invalid value: "  ": must not be empty',
  ],
  [
    'bridgeInterface too long',
    { detectLocalMode: 'BridgeInterface', detectLocal: { bridgeInterface: 'a23456789012345' } },
    { detectLocalMode: 'BridgeInterface', detectLocal: { bridgeInterface: 'a234567890123456' } },
    'detectLocal.bridgeInterface: InterfaceName: Invalid value: "a234567890123456": must be at most 15 letters, digits and characters of _.@:-',
  ],
  [
    'interfaceNamePrefix too long for the appended +',
    { detectLocalMode: 'InterfaceNamePrefix', detectLocal: { interfaceNamePrefix: 'a2345678901234' } },
    { detectLocalMode: 'InterfaceNamePrefix', detectLocal: { interfaceNamePrefix: 'a23456789012345' } },
    'detectLocal.interfaceNamePrefix: InterfacePrefix: Invalid value: "a23456789012345": must be at most 14 letters, digits and characters of _.@:-',
  ],
  [
    'bridgeInterface that would add a rule',
    { detectLocalMode: 'BridgeInterface', detectLocal: { bridgeInterface: 'br-0.1@if:2_' } },
    { detectLocalMode: 'BridgeInterface', detectLocal: { bridgeInterface: 'a\n-A INPUT' } },
    'detectLocal.bridgeInterface: InterfaceName: Invalid value: "a\\n-A INPUT": must be at most 15 letters, digits and characters of _.@:-',
  ],
  [
    'logging.format',
    { logging: { format: 'json' } },
    { logging: { format: 'xml' } },
    'logging.format: logging.format: Invalid value: "xml": Unsupported log format',
  ],
  [
    'logging.verbosity',
    { logging: { verbosity: 2147483647 } },
    { logging: { verbosity: 2147483648 } },
    'logging.verbosity: logging.verbosity: Invalid value: 2147483648: Must be <= 2147483647',
  ],
  [
    'logging.vmodule only with text',
    { logging: { format: 'text', vmodule: [{ filePattern: 'a', verbosity: 1 }] } },
    { logging: { format: 'json', vmodule: [{ filePattern: 'a', verbosity: 1 }] } },
    'logging.vmodule: logging.vmodule: Invalid value: 1 entries: Only supported for text log format',
  ],
  [
    'logging.vmodule pattern',
    { logging: { vmodule: [{ filePattern: 'a*', verbosity: 0 }] } },
    { logging: { vmodule: [{ filePattern: 'a=b', verbosity: 0 }] } },
    'logging.vmodule[0].filePattern: logging.vmodule[0].filePattern: Invalid value: "a=b": File pattern must not contain equal sign or comma',
  ],
  [
    'logging.vmodule pattern empty',
    { logging: { vmodule: [] } },
    { logging: { vmodule: [{ verbosity: 0 }] } },
    'logging.vmodule[0].filePattern: logging.vmodule[0].filePattern: Invalid value: "": File pattern must not be empty',
  ],
  [
    'logging.vmodule verbosity',
    { logging: { vmodule: [{ filePattern: 'a', verbosity: 5 }] } },
    { logging: { vmodule: [{ filePattern: 'a', verbosity: -5 }] } },
    'logging.vmodule[0].verbosity: logging.vmodule[0].verbosity: Invalid value: -5: Must be <= 2147483647',
  ],
]

describe.each(rows)('the validation rule "%s"', (_rule, good, bad, violation) => {
  it('accepts a valid value', () => {
    expect(violations(good)).toEqual([])
  })

  it('rejects an invalid value with the message of kube-proxy', () => {
    expect(violations(bad)).toEqual([violation])
  })
})

describe('resolveConfiguration', () => {
  it('rejects a loopback bindAddress only in userspace mode, even with feature gates', () => {
    const inMode = (fields: object) => violations({ mode: 'userspace', ...fields }, '1.22')
    const rejected = (address: string) => [
      `bindAddress: BindAddress: Invalid value: "${address}": cannot proxy on localhost`,
    ]
    expect(inMode({ bindAddress: '127.0.0.1' })).toEqual(rejected('127.0.0.1'))
    expect(inMode({ bindAddress: '::1' })).toEqual(rejected('::1'))
    expect(inMode({ bindAddress: '192.168.0.2', featureGates: { IPv6DualStack: true } })).toEqual([])
    expect(violations({ bindAddress: '127.0.0.1' })).toEqual([])
  })

  it('reports a negative sync period twice, as kube-proxy does, because it is also below the minimum', () => {
    const smaller = (field: string, minimum: string) =>
      `Invalid value: ${minimum}: must be greater than or equal to KubeProxyConfiguration.${field}.MinSyncPeriod`
    expect(violations({ iptables: { syncPeriod: '-1s' } })).toEqual([
      `iptables.syncPeriod: ${IPTABLES}.SyncPeriod: Invalid value: -1s: must be greater than 0`,
      `iptables.syncPeriod: ${IPTABLES}.SyncPeriod: ${smaller(IPTABLES, '1s')}`,
    ])
    expect(violations({ mode: 'ipvs', ipvs: { syncPeriod: '-1s' } })).toEqual([
      `ipvs.syncPeriod: ${IPVS}.SyncPeriod: Invalid value: -1s: must be greater than 0`,
      `ipvs.syncPeriod: ${IPVS}.SyncPeriod: ${smaller(IPVS, '0s')}`,
    ])
  })

  it('reports an invalid address and an invalid port of the same field separately', () => {
    expect(violations({ metricsBindAddress: 'host:port' })).toEqual([
      'metricsBindAddress: MetricsBindAddress: Invalid value: "host": must be a valid IP',
      'metricsBindAddress: MetricsBindAddress: Invalid value: "port": must be a valid port',
    ])
  })

  it('validates the nftables section only in nftables mode', () => {
    const nftables = { masqueradeBit: 32, minSyncPeriod: '-1s' }
    expect(violations({ mode: 'nftables', nftables }, '1.31')).toEqual([
      `nftables.masqueradeBit: ${NFTABLES}.MasqueradeBit: Invalid value: 32: must be within the range [0, 31]`,
      `nftables.minSyncPeriod: ${NFTABLES}.MinSyncPeriod: Invalid value: -1s: ${NOT_NEGATIVE}`,
    ])
    expect(violations({ mode: 'iptables', nftables }, '1.31')).toEqual([])
  })

  it('accepts "primary" in nodePortAddresses from version 1.31 on, but not together with networks', () => {
    const mixed = `Invalid value: "primary": can't use both 'primary' and CIDRs`
    expect(violations({ nodePortAddresses: ['primary'] }, '1.31')).toEqual([])
    expect(violations({ nodePortAddresses: ['primary', 'x'] }, '1.31')).toEqual([
      `nodePortAddresses[0]: NodePortAddresses[0]: ${mixed}`,
    ])
    expect(violations({ nodePortAddresses: ['x', 'primary', 'y'] }, '1.31')).toEqual([
      'nodePortAddresses[0]: NodePortAddresses[0]: Invalid value: "x": must be a valid CIDR',
      `nodePortAddresses[1]: NodePortAddresses[1]: ${mixed}`,
    ])
  })

  it('accepts "primary", "localhost" and "all" in nodePortAddresses from 1.37 on, even with networks', () => {
    const words = ['primary', 'localhost', 'all', '10.0.0.0/8', 'primary']
    expect(violations({ nodePortAddresses: words }, '1.37')).toEqual([])
    expect(violations({ nodePortAddresses: ['localhost'] }, '1.36')).toEqual([
      'nodePortAddresses[0]: NodePortAddresses[0]: Invalid value: "localhost": must be a valid CIDR',
    ])
    expect(violations({ nodePortAddresses: ['all', 'Primary', 'nowhere'] }, '1.37')).toEqual([
      'nodePortAddresses[1]: NodePortAddresses[1]: Invalid value: "Primary": must be a valid CIDR',
      'nodePortAddresses[2]: NodePortAddresses[2]: Invalid value: "nowhere": must be a valid CIDR',
    ])
  })

  it('accepts both values of the gate of a deprecated feature from the version of its deprecation on', () => {
    for (const enabled of [true, false]) {
      const externalIPs = { featureGates: { AllowServiceExternalIPs: enabled } }
      const ipvs = { featureGates: { KubeProxyIPVS: enabled } }
      expect(violations(externalIPs, '1.36')).toEqual([])
      expect(violations(ipvs, '1.37')).toEqual([])
      expect(violations(externalIPs, '1.35')).toHaveLength(1)
      expect(violations(ipvs, '1.36')).toHaveLength(1)
    }
  })

  it('rejects ipvs mode and lists the other modes if the gate KubeProxyIPVS is off', () => {
    expect(violations({ mode: 'ipvs', featureGates: { KubeProxyIPVS: false } }, '1.37')).toEqual([
      'mode: Mode.ProxyMode: Invalid value: "ipvs": must be iptables, nftables or blank (blank means the best-available proxy [currently iptables])',
    ])
    expect(violations({ mode: 'ipvs', featureGates: { KubeProxyIPVS: true } }, '1.37')).toEqual([])
  })

  it('accepts gates of other Kubernetes components, but only in the correct case', () => {
    expect(violations({ featureGates: { InPlacePodVerticalScaling: true, ContextualLogging: false } })).toEqual([])
    expect(violations({ featureGates: { contextualLogging: false, '': true, constructor: true } })).toHaveLength(3)
  })

  it.each([
    ['EndpointSliceProxying', '1.21', '1.22'],
    ['IPv6DualStack', '1.22', '1.23'],
    ['ServiceInternalTrafficPolicy', '1.25', '1.26'],
    ['ProxyTerminatingEndpoints', '1.27', '1.28'],
  ])('rejects a configuration that disables %s if the version locks the gate', (gate, free, locked) => {
    expect(violations({ featureGates: { [gate]: false, Unknown: false } }, free)).toEqual([])
    expect(violations({ featureGates: { [gate]: true, Unknown: false } }, locked)).toEqual([])
    expect(violations({ featureGates: { [gate]: false, Unknown: false } }, locked)).toEqual([
      `featureGates.${gate}: featureGates: Invalid value: false: cannot set feature gate ${gate} to false, feature is locked to true`,
    ])
  })

  it.each([
    ['LoadBalancerIPMode', '1.34', '1.35'],
    ['ServiceTrafficDistribution', '1.35', '1.36'],
    ['TopologyAwareHints', '1.35', '1.36'],
  ])('rejects both values of %s if the version no longer has the gate', (gate, locked, removed) => {
    expect(violations({ featureGates: { [gate]: true } }, locked)).toEqual([])
    for (const enabled of [true, false]) {
      expect(violations({ featureGates: { [gate]: enabled } }, removed)).toEqual([
        `featureGates.${gate}: featureGates: Invalid value: ${enabled}: unrecognized feature gate: "${gate}"`,
      ])
    }
  })

  it.each([
    ['MultiCIDRServiceAllocator', '1.33', '1.34', true],
    ['KubeProxyDrainingTerminatingNodes', '1.30', '1.31', true],
    ['WinDSR', '1.33', '1.34', true],
    ['SidecarContainers', '1.32', '1.33', true],
    ['DynamicResourceAllocation', '1.34', '1.35', true],
    ['WatchFromStorageWithoutResourceVersion', '1.32', '1.33', false],
  ])('accepts only one value of %s, which has no effect on rules, if the version locks the gate', (...row) => {
    const [gate, free, locked, value] = row
    for (const enabled of [true, false]) expect(violations({ featureGates: { [gate]: enabled } }, free)).toEqual([])
    expect(violations({ featureGates: { [gate]: value } }, locked)).toEqual([])
    expect(violations({ featureGates: { [gate]: !value } }, locked)).toEqual([
      `featureGates.${gate}: featureGates: Invalid value: ${!value}: cannot set feature gate ${gate} to ${!value}, feature is locked to ${value}`,
    ])
  })

  it('rejects gates of other components that the version no longer has', () => {
    for (const gate of ['KubeProxyDrainingTerminatingNodes', 'AppArmor', 'PodHostIPs']) {
      expect(violations({ featureGates: { [gate]: true } }, '1.34')).toEqual([])
      expect(violations({ featureGates: { [gate]: true } }, '1.35')).toEqual([
        `featureGates.${gate}: featureGates: Invalid value: true: unrecognized feature gate: "${gate}"`,
      ])
    }
  })

  it('lists the modes of the version in the message about an unknown mode', () => {
    const messages = ['1.25', '1.27', '1.28', '1.31'].map((version) => violations({ mode: 'kernelspace' }, version)[0])
    const listed = messages.map((message) => /must be (.*) or blank \(/.exec(message ?? '')?.[1])
    expect(listed).toEqual(['iptables,ipvs,userspace', 'iptables,ipvs', 'iptables, ipvs', 'iptables, ipvs, nftables'])
  })

  it('rejects an unknown detectLocalMode with the message of the version', () => {
    const guess = 'detectLocalMode: DetectLocalMode: Invalid value: "Guess": '
    for (const version of ['1.18', '1.23', '1.27']) {
      expect(violations({ detectLocalMode: 'Guess' }, version)).toEqual([`${guess}unknown detect-local-mode`])
    }
    expect(violations({ detectLocalMode: 'Guess' }, '1.28')).toEqual([
      `${guess}must be BridgeInterface,ClusterCIDR,InterfaceNamePrefix,NodeCIDR or blank`,
    ])
    const byInterface = { detectLocalMode: 'BridgeInterface', detectLocal: { bridgeInterface: 'br0' } }
    expect(violations(byInterface, '1.24')).toEqual([])
    expect(violations(byInterface, '1.23')).toHaveLength(1)
  })

  it('rejects a negative udpIdleTimeout up to version 1.25', () => {
    expect(violations({ udpIdleTimeout: '-1s' }, '1.25')).toEqual([
      'udpIdleTimeout: UDPIdleTimeout: Invalid value: -1s: must be greater than 0',
    ])
    expect(violations({ udpIdleTimeout: '0s' }, '1.14')).toEqual([])
    expect(violations({ udpIdleTimeout: '-1s' }, '1.26')).toEqual([])
  })

  it('rejects a configuration that disables a stable gate', () => {
    expect(violations({ featureGates: { NFTablesProxyMode: true } }, '1.33')).toEqual([])
    expect(violations({ featureGates: { NFTablesProxyMode: false } }, '1.33')).toEqual([
      'featureGates.NFTablesProxyMode: featureGates: Invalid value: false: cannot set feature gate NFTablesProxyMode to false, feature is locked to true',
    ])
  })

  it('reports all errors in the same order as kube-proxy', () => {
    const configuration = {
      mode: 'other',
      featureGates: { Nonsense: true },
      iptables: { masqueradeBit: 99 },
      conntrack: { min: -1 },
      clientConnection: { burst: -1 },
      oomScoreAdj: 5000,
      configSyncPeriod: '-1s',
      bindAddress: 'a',
      healthzBindAddress: 'b',
      metricsBindAddress: 'c',
      clusterCIDR: 'd',
      portRange: 'e',
      nodePortAddresses: ['f'],
      showHiddenMetricsForVersion: 'g',
      detectLocalMode: 'h',
      logging: { format: 'i' },
    }
    const { diagnostics } = resolveConfiguration({ configuration })
    expect(diagnostics.map(({ path }) => path)).toEqual([
      'featureGates.Nonsense',
      'iptables.masqueradeBit',
      'conntrack.min',
      'mode',
      'clientConnection.burst',
      'oomScoreAdj',
      'configSyncPeriod',
      'bindAddress',
      'healthzBindAddress',
      'metricsBindAddress',
      'clusterCIDR',
      'portRange',
      'nodePortAddresses[0]',
      'showHiddenMetricsForVersion',
      'detectLocalMode',
      'logging.format',
    ])
    expect(new Set(diagnostics.map(({ code, severity }) => `${code} ${severity}`))).toEqual(
      new Set(['invalidConfiguration error']),
    )
  })
})
