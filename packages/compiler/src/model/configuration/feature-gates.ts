/** The Kubernetes feature gates that affect rules or the validity of a configuration. */
export type FeatureGate =
  | 'AllowServiceExternalIPs'
  | 'KubeProxyIPVS'
  | 'KubeProxyNFTablesLocalhostNodePorts'
  | 'LoadBalancerIPMode'
  | 'NFTablesProxyMode'
  | 'PreferSameTrafficDistribution'
  | 'ServiceTrafficDistribution'
  | 'TopologyAwareHints'

/**
 * The stage of a feature; `stable` is `GA` in the Kubernetes sources. A `deprecated` feature is older than its gate,
 * which exists to disable it.
 */
export type GateStage = 'alpha' | 'beta' | 'stable' | 'deprecated'

/** The state of a gate from one minor version on. Stable gates are locked: they cannot be disabled. */
export interface GateRelease {
  readonly since: string
  readonly stage: GateStage
  readonly enabled: boolean
}

/**
 * The releases of each gate, oldest first, as in `pkg/features/kube_features.go` of Kubernetes. Everything before 1.30
 * is one entry. A gate is unknown to versions before its first entry.
 */
export const FEATURE_GATES: Readonly<Record<FeatureGate, readonly GateRelease[]>> = {
  AllowServiceExternalIPs: [{ since: '1.36', stage: 'deprecated', enabled: true }],
  KubeProxyIPVS: [{ since: '1.37', stage: 'deprecated', enabled: true }],
  KubeProxyNFTablesLocalhostNodePorts: [{ since: '1.37', stage: 'alpha', enabled: false }],
  LoadBalancerIPMode: [
    { since: '1.30', stage: 'beta', enabled: true },
    { since: '1.32', stage: 'stable', enabled: true },
  ],
  NFTablesProxyMode: [
    { since: '1.30', stage: 'alpha', enabled: false },
    { since: '1.31', stage: 'beta', enabled: true },
    { since: '1.33', stage: 'stable', enabled: true },
  ],
  PreferSameTrafficDistribution: [
    { since: '1.33', stage: 'alpha', enabled: false },
    { since: '1.34', stage: 'beta', enabled: true },
    { since: '1.35', stage: 'stable', enabled: true },
  ],
  ServiceTrafficDistribution: [
    { since: '1.30', stage: 'alpha', enabled: false },
    { since: '1.31', stage: 'beta', enabled: true },
    { since: '1.33', stage: 'stable', enabled: true },
  ],
  TopologyAwareHints: [
    { since: '1.30', stage: 'beta', enabled: true },
    { since: '1.33', stage: 'stable', enabled: true },
  ],
}

/** Gates that set every alpha or beta gate without an explicit value. */
export const GATES_OF_STAGE: Readonly<Record<'alpha' | 'beta', string>> = { alpha: 'AllAlpha', beta: 'AllBeta' }

export function isFeatureGate(name: string): name is FeatureGate {
  return Object.hasOwn(FEATURE_GATES, name)
}
