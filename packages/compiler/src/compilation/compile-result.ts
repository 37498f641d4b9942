import type {
  Diagnostic,
  EndpointSlice,
  Endpoints,
  Host,
  IpFamily,
  KubeProxyConfiguration,
  Node,
  Service,
  ServiceCIDR,
} from '@kube-rules/types'
import type { NodeState } from '../dataplane/node-state.js'
import type { ObjectsOf } from '../model/reading/object-list.js'
import type { HealthCheckNodePort } from '../model/services/health-checks.js'
import type { Plan } from '../plan/plan.js'
import type { HostSettings } from '../targets/mode-lowering.js'
import type { CompiledMode } from '../targets/modes.js'

/**
 * The objects of a cluster, as clients hold them: each kind as any iterable, or as the list (`ServiceList`) that the API
 * gives. Nothing is mutated or frozen.
 */
export interface CompileInput {
  readonly services: ObjectsOf<Service>
  readonly endpointSlices?: ObjectsOf<EndpointSlice> | undefined
  /** Used only for Services without EndpointSlice. */
  readonly endpoints?: ObjectsOf<Endpoints> | undefined
  readonly nodes?: ObjectsOf<Node> | undefined
  /** Out of which networks cluster IPs are given; mode nftables alone has a rule for them. */
  readonly serviceCIDRs?: ObjectsOf<ServiceCIDR> | undefined
  readonly configuration?: KubeProxyConfiguration | undefined
  readonly host?: Host | undefined
}

export interface CompileOptions {
  /** The node to compile for. Default: `hostnameOverride` of the configuration, else the only Node given. */
  readonly nodeName?: string | undefined
  /** Overrides `mode` of the configuration. */
  readonly mode?: CompiledMode | undefined
  /** The Kubernetes minor version to be faithful to, such as `1.30`. Default: the newest known. */
  readonly kubernetesVersion?: string | undefined
  /** Default: both. */
  readonly families?: readonly IpFamily[] | undefined
  /** Throw when any object has an `error` diagnostic, instead of leaving it out. */
  readonly strict?: boolean | undefined
  /** An earlier result, to take from it what has not changed. */
  readonly previous?: CompileResult | undefined
}

/** What the objects of a cluster come to on one node. */
export interface CompileResult {
  readonly mode: CompiledMode
  /** The minor version the rules are faithful to. */
  readonly kubernetesVersion: string
  /** In the order IPv4, IPv6; only those asked for. */
  readonly families: readonly FamilyResult[]
  /** First those of configuration and node, then those of objects, then what the mode does otherwise than the plan. */
  readonly diagnostics: readonly Diagnostic[]
  readonly counts: Counts
}

export interface FamilyResult {
  readonly family: IpFamily
  readonly plan: Plan
  readonly state: NodeState
  /** What the machine needs beside the state; absent where that is nothing. */
  readonly host?: HostSettings | undefined
  readonly healthCheckNodePorts: readonly HealthCheckNodePort[]
  readonly counts: Counts
}

/** How much there is of one family, or of both together. */
export interface Counts {
  readonly servicePorts: number
  readonly endpoints: number
  readonly chains: number
  readonly rules: number
}
