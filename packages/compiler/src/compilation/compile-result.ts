import type {
  Diagnostic,
  EndpointSlice,
  Endpoints,
  HostFacts,
  IpFamily,
  KubeProxyConfiguration,
  Node,
  Service,
  ServiceCIDR,
} from '@kube-rules/types'
import type { NodeState } from '../dataplane/node-state.js'
import type { ObjectList } from '../model/reading/object-list.js'
import type { HealthCheckNodePort } from '../model/services/health-checks.js'
import type { Plan } from '../plan/plan.js'
import type { HostRequirements } from '../targets/mode-lowering.js'
import type { ProxyMode } from '../targets/modes.js'

/**
 * The objects of a cluster: each kind as any iterable, or as a list object (`ServiceList`) of the API. The input is
 * neither mutated nor frozen.
 */
export interface CompileInput {
  /** The Services. */
  readonly services: ObjectList<Service>
  /** The EndpointSlices. Default: none. */
  readonly endpointSlices?: ObjectList<EndpointSlice> | undefined
  /** Endpoints; used only for Services without EndpointSlice. */
  readonly endpoints?: ObjectList<Endpoints> | undefined
  /** The Nodes. Default: none; then the node is unknown. */
  readonly nodes?: ObjectList<Node> | undefined
  /** ServiceCIDR objects. Only mode nftables uses them. */
  readonly serviceCIDRs?: ObjectList<ServiceCIDR> | undefined
  /** The configuration of kube-proxy. Default: its defaults. */
  readonly configuration?: KubeProxyConfiguration | undefined
  /** Facts about the node that no object contains. */
  readonly host?: HostFacts | undefined
}

/** Options of `compile`. */
export interface CompileOptions {
  /** The node to compile for. Default: `hostnameOverride` of the configuration, else the only Node in the input. */
  readonly nodeName?: string | undefined
  /** The mode; overrides `mode` of the configuration. */
  readonly mode?: ProxyMode | undefined
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
  /** The mode that was compiled. */
  readonly mode: ProxyMode
  /** The emulated Kubernetes minor version. */
  readonly kubernetesVersion: string
  /** The requested families in the order IPv4, IPv6. */
  readonly families: readonly FamilyResult[]
  /** Diagnostics: first about configuration and node, then about objects, then about limitations of the mode. */
  readonly diagnostics: readonly Diagnostic[]
  /** The sum of the counts of both families. */
  readonly counts: ItemCounts
}

/** The result for one address family. */
export interface FamilyResult {
  /** The address family. */
  readonly family: IpFamily
  /** The expected handling of packets, independent of the mode. */
  readonly plan: Plan
  /** The rules, for `print`, `trace` and `compare`. */
  readonly state: NodeState
  /** Host requirements in addition to the state; absent if the mode has none. */
  readonly hostRequirements?: HostRequirements | undefined
  /** The health-check node ports that kube-proxy serves. */
  readonly healthCheckNodePorts: readonly HealthCheckNodePort[]
  /** The size of the rules. */
  readonly counts: ItemCounts
}

/** Item counts of one family, or of both together. */
export interface ItemCounts {
  /** The number of service ports. */
  readonly servicePorts: number
  /** The number of endpoints, ready or not. */
  readonly endpoints: number
  /** The number of chains of kube-proxy. */
  readonly chains: number
  /** The number of rules of kube-proxy. */
  readonly rules: number
}
