/** The feature gates of Kubernetes that decide about rules or about which configuration is valid. */
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
 * How far a feature has come; `stable` is `GA` in the sources of Kubernetes. A `deprecated` one is older than its gate, which
 * is there to switch it off.
 */
export type GateStage = 'alpha' | 'beta' | 'stable' | 'deprecated'

/** What a gate is from one minor version on. Stable gates are locked: they cannot be switched off. */
export interface GateRelease {
  readonly since: string
  readonly stage: GateStage
  readonly enabled: boolean
}

/**
 * Oldest release first, as in `pkg/features/kube_features.go` of Kubernetes; what lies before 1.30 is one entry.
 * A version before the first entry does not know the gate.
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

/** Switch every alpha or beta gate that is not set by its own name. */
export const GATES_OF_STAGE: Readonly<Record<'alpha' | 'beta', string>> = { alpha: 'AllAlpha', beta: 'AllBeta' }

export function isFeatureGate(name: string): name is FeatureGate {
  return Object.hasOwn(FEATURE_GATES, name)
}
