import type {
  EndpointSlice,
  Endpoints,
  HostFacts,
  KubeProxyConfiguration,
  Node,
  Service,
  ServiceCIDR,
} from '@kube-rules/types'

/** The objects of a cluster, an input of `compile`. No two objects of one kind have the same name. */
export interface Cluster {
  /** The Services: at most five, of all types. */
  readonly services: readonly Service[]
  /** The EndpointSlices of the Services. Some have no Service. */
  readonly endpointSlices: readonly EndpointSlice[]
  /** The Endpoints objects, mostly of Services without EndpointSlices. */
  readonly endpoints: readonly Endpoints[]
  /** The Nodes. */
  readonly nodes: readonly Node[]
  /** The ServiceCIDR objects. */
  readonly serviceCIDRs: readonly ServiceCIDR[]
  /** The configuration of kube-proxy. */
  readonly configuration: KubeProxyConfiguration
  /** The interfaces and kernel settings of the node; undefined if they are unknown. */
  readonly host: HostFacts | undefined
}
