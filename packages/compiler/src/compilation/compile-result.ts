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
 * The objects of a cluster. Each kind of object is any iterable, or a list object (`ServiceList`) of the API. The input
 * is neither mutated nor frozen.
 */
export interface CompileInput {
  /** The Services. */
  readonly services: ObjectList<Service>
  /** The EndpointSlices. Default: none. */
  readonly endpointSlices?: ObjectList<EndpointSlice> | undefined
  /** The Endpoints objects; used only for Services without EndpointSlices. */
  readonly endpoints?: ObjectList<Endpoints> | undefined
  /** The Nodes. Default: no Nodes; then nothing is known about the node. */
  readonly nodes?: ObjectList<Node> | undefined
  /** The ServiceCIDR objects. Only nftables mode uses them. */
  readonly serviceCIDRs?: ObjectList<ServiceCIDR> | undefined
  /** The configuration of kube-proxy. Default: the defaults of kube-proxy. */
  readonly configuration?: KubeProxyConfiguration | undefined
  /** Facts about the node that no object contains. */
  readonly host?: HostFacts | undefined
}

/** Options of `compile`. */
export interface CompileOptions {
  /**
   * The name of the node to compile for. Default: `hostnameOverride` of the configuration, else the name of the only
   * Node in the input.
   */
  readonly nodeName?: string | undefined
  /** The mode; overrides `mode` of the configuration. */
  readonly mode?: ProxyMode | undefined
  /**
   * The Kubernetes minor version to emulate, such as `1.30`. Default: the version that the Node reports (see
   * `findNodeVersion` of `@kube-rules/compiler/plan`), if this version supports the mode, else the newest supported
   * version.
   */
  readonly kubernetesVersion?: string | undefined
  /** The address families. Default: IPv4 and IPv6. */
  readonly families?: readonly IpFamily[] | undefined
  /** Whether to throw if any object has an `error` diagnostic, instead of leaving out the object. */
  readonly strict?: boolean | undefined
  /** An earlier result; unchanged parts of the earlier result are reused. */
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
  /**
   * The diagnostics: first about the configuration and the node, then about objects, then about limitations of the
   * mode.
   */
  readonly diagnostics: readonly Diagnostic[]
  /** The sums of the counts of service ports, endpoints, chains and rules over all families. */
  readonly counts: ResultCounts
}

/** The result for one address family. */
export interface FamilyResult {
  /** The address family. */
  readonly family: IpFamily
  /** The expected handling of packets, independent of the mode. */
  readonly plan: Plan
  /** The rules, for `print`, `trace` and `compare`. */
  readonly state: NodeState
  /** The host requirements that the state does not contain; absent if the mode has none. */
  readonly hostRequirements?: HostRequirements | undefined
  /** The health-check node ports that kube-proxy serves in this family. */
  readonly healthCheckNodePorts: readonly HealthCheckNodePort[]
  /** The numbers of service ports, endpoints, chains and rules. */
  readonly counts: ResultCounts
}

/** The numbers of service ports, endpoints, chains and rules of one family, or of all families together. */
export interface ResultCounts {
  /** The number of service ports. */
  readonly servicePorts: number
  /** The number of endpoints, ready or not. */
  readonly endpoints: number
  /** The number of kube-proxy chains. */
  readonly chains: number
  /** The number of kube-proxy rules. */
  readonly rules: number
}
