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
 * The objects of a cluster: each kind as any iterable, or as a list object (`ServiceList`) of the API. The input is
 * neither mutated nor frozen.
 */
export interface CompileInput {
  readonly services: ObjectsOf<Service>
  readonly endpointSlices?: ObjectsOf<EndpointSlice> | undefined
  /** Endpoints; used only for Services without EndpointSlice. */
  readonly endpoints?: ObjectsOf<Endpoints> | undefined
  readonly nodes?: ObjectsOf<Node> | undefined
  /** ServiceCIDR objects. Only mode nftables uses them. */
  readonly serviceCIDRs?: ObjectsOf<ServiceCIDR> | undefined
  readonly configuration?: KubeProxyConfiguration | undefined
  readonly host?: Host | undefined
}

export interface CompileOptions {
  /** The node to compile for. Default: `hostnameOverride` of the configuration, else the only Node in the input. */
  readonly nodeName?: string | undefined
  /** The mode; overrides `mode` of the configuration. */
  readonly mode?: CompiledMode | undefined
  /** The Kubernetes minor version to emulate, such as `1.30`. Default: the newest supported one. */
  readonly kubernetesVersion?: string | undefined
  /** The address families. Default: both. */
  readonly families?: readonly IpFamily[] | undefined
  /** Whether to throw if any object has an `error` diagnostic, instead of leaving it out. */
  readonly strict?: boolean | undefined
  /** An earlier result; unchanged parts of it are reused. */
  readonly previous?: CompileResult | undefined
}

/** The result of `compile` for one node. */
export interface CompileResult {
  readonly mode: CompiledMode
  /** The emulated Kubernetes minor version. */
  readonly kubernetesVersion: string
  /** The requested families in the order IPv4, IPv6. */
  readonly families: readonly FamilyResult[]
  /** Diagnostics: first about configuration and node, then about objects, then about limitations of the mode. */
  readonly diagnostics: readonly Diagnostic[]
  readonly counts: Counts
}

export interface FamilyResult {
  readonly family: IpFamily
  readonly plan: Plan
  readonly state: NodeState
  /** Host requirements in addition to the state; absent if there are none. */
  readonly host?: HostSettings | undefined
  readonly healthCheckNodePorts: readonly HealthCheckNodePort[]
  readonly counts: Counts
}

/** Item counts of one family, or of both together. */
export interface Counts {
  readonly servicePorts: number
  readonly endpoints: number
  readonly chains: number
  readonly rules: number
}
