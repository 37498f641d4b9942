/** The Kubernetes feature gates that affect rules or the validity of a configuration. */
export type FeatureGate =
  | 'AllowServiceExternalIPs'
  | 'EndpointSlice'
  | 'EndpointSliceProxying'
  | 'ExternalPolicyForExternalIP'
  | 'IPv6DualStack'
  | 'KubeProxyIPVS'
  | 'KubeProxyNFTablesLocalhostNodePorts'
  | 'LoadBalancerIPMode'
  | 'NFTablesProxyMode'
  | 'PreferSameTrafficDistribution'
  | 'ProxyTerminatingEndpoints'
  | 'ServiceInternalTrafficPolicy'
  | 'ServiceTopology'
  | 'ServiceTrafficDistribution'
  | 'TopologyAwareHints'

/**
 * The stage of a feature. `stable` is `GA` in the Kubernetes sources. A `deprecated` feature is older than its gate,
 * and the gate exists only to disable the feature. A `removed` gate no longer exists, and its feature is always or
 * never enabled.
 */
export type FeatureGateStage = 'alpha' | 'beta' | 'stable' | 'deprecated' | 'removed'

/** The state of a gate from one minor version on. Stable gates are locked: their values cannot be changed. */
export interface FeatureGateRelease {
  readonly since: string
  readonly stage: FeatureGateStage
  readonly enabled: boolean
}

/**
 * The releases of each gate, oldest first, from `pkg/features/kube_features.go` of Kubernetes. Versions before the
 * first release of a gate do not have the gate.
 */
export const FEATURE_GATES: Readonly<Record<FeatureGate, readonly FeatureGateRelease[]>> = {
  AllowServiceExternalIPs: [{ since: '1.36', stage: 'deprecated', enabled: true }],
  EndpointSlice: [
    { since: '1.16', stage: 'alpha', enabled: false },
    { since: '1.17', stage: 'beta', enabled: false },
    { since: '1.18', stage: 'beta', enabled: true },
    { since: '1.21', stage: 'stable', enabled: true },
    { since: '1.25', stage: 'removed', enabled: true },
  ],
  EndpointSliceProxying: [
    { since: '1.18', stage: 'alpha', enabled: false },
    { since: '1.19', stage: 'beta', enabled: true },
    { since: '1.22', stage: 'stable', enabled: true },
    { since: '1.25', stage: 'removed', enabled: true },
  ],
  ExternalPolicyForExternalIP: [
    { since: '1.18', stage: 'alpha', enabled: false },
    { since: '1.19', stage: 'beta', enabled: true },
    { since: '1.20', stage: 'stable', enabled: true },
    { since: '1.22', stage: 'removed', enabled: true },
  ],
  IPv6DualStack: [
    { since: '1.16', stage: 'alpha', enabled: false },
    { since: '1.21', stage: 'beta', enabled: true },
    { since: '1.23', stage: 'stable', enabled: true },
    { since: '1.25', stage: 'removed', enabled: true },
  ],
  KubeProxyIPVS: [{ since: '1.37', stage: 'deprecated', enabled: true }],
  KubeProxyNFTablesLocalhostNodePorts: [{ since: '1.37', stage: 'alpha', enabled: false }],
  LoadBalancerIPMode: [
    { since: '1.29', stage: 'alpha', enabled: false },
    { since: '1.30', stage: 'beta', enabled: true },
    { since: '1.32', stage: 'stable', enabled: true },
    { since: '1.35', stage: 'removed', enabled: true },
  ],
  NFTablesProxyMode: [
    { since: '1.29', stage: 'alpha', enabled: false },
    { since: '1.31', stage: 'beta', enabled: true },
    { since: '1.33', stage: 'stable', enabled: true },
  ],
  PreferSameTrafficDistribution: [
    { since: '1.33', stage: 'alpha', enabled: false },
    { since: '1.34', stage: 'beta', enabled: true },
    { since: '1.35', stage: 'stable', enabled: true },
  ],
  ProxyTerminatingEndpoints: [
    { since: '1.22', stage: 'alpha', enabled: false },
    { since: '1.26', stage: 'beta', enabled: true },
    { since: '1.28', stage: 'stable', enabled: true },
    { since: '1.30', stage: 'removed', enabled: true },
  ],
  ServiceInternalTrafficPolicy: [
    { since: '1.21', stage: 'alpha', enabled: false },
    { since: '1.22', stage: 'beta', enabled: true },
    { since: '1.26', stage: 'stable', enabled: true },
    { since: '1.28', stage: 'removed', enabled: true },
  ],
  ServiceTopology: [
    { since: '1.17', stage: 'alpha', enabled: false },
    { since: '1.22', stage: 'removed', enabled: false },
  ],
  ServiceTrafficDistribution: [
    { since: '1.30', stage: 'alpha', enabled: false },
    { since: '1.31', stage: 'beta', enabled: true },
    { since: '1.33', stage: 'stable', enabled: true },
    { since: '1.36', stage: 'removed', enabled: true },
  ],
  TopologyAwareHints: [
    { since: '1.21', stage: 'alpha', enabled: false },
    { since: '1.23', stage: 'beta', enabled: false },
    { since: '1.24', stage: 'beta', enabled: true },
    { since: '1.33', stage: 'stable', enabled: true },
    { since: '1.36', stage: 'removed', enabled: true },
  ],
}

/**
 * The names of the two gates that turn all alpha or all beta gates on or off. They do not affect gates with an explicit
 * value.
 */
export const STAGE_GATES: Readonly<Record<'alpha' | 'beta', string>> = { alpha: 'AllAlpha', beta: 'AllBeta' }

export function isFeatureGate(name: string): name is FeatureGate {
  return Object.hasOwn(FEATURE_GATES, name)
}
