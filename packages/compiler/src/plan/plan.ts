import type { Cidr, IpFamily, Protocol } from '@kube-rules/types'
import type { Endpoint } from '../model/endpoints/endpoint.js'
import type { NodeFacts } from '../model/node/node-facts.js'
import type { ServicePortId } from '../model/services/service-port.js'
import type { KernelSettings } from './kernel-settings.js'

/** The expected handling of packets, for one address family. Independent of any kernel subsystem. */
export interface Plan extends PlanHeader {
  /** The service ports, in code-unit order of `id.text`, then protocol. */
  readonly services: readonly ServicePlan[]
}

/** The shared part of a plan, without service ports. */
export interface PlanHeader {
  /** The address family. */
  readonly family: IpFamily
  /** Facts about the node. */
  readonly node: NodeFacts
  /** The node addresses that serve node ports. */
  readonly nodePorts: NodePortBinding
  /** Whether loopback addresses also serve node ports; for IPv6 only in mode userspace. */
  readonly localhostNodePorts: boolean
  /**
   * The protocols with rejected node ports on loopback addresses of either family, sorted. Node ports of other
   * protocols have no rules there.
   */
  readonly rejectedLocalhostNodePorts: readonly Protocol[]
  /**
   * Whether a local process accepts the connections. Each port of the process is for one service port. If an earlier
   * service port uses a node port or node address, the frontends of a later one end before it.
   */
  readonly connectionsTaken: boolean
  /** The masquerade policy for packets from a cluster IP to an endpoint; consistent with the clauses. */
  readonly clusterIPMasquerade: MasqueradePolicy
  /**
   * The networks for cluster IPs as written, in the order of their ServiceCIDR names. Packets to unallocated addresses
   * in them are invalid. Empty if unknown.
   */
  readonly serviceCIDRs: readonly string[]
  /** The number of known endpoints of all service ports, ready or not. */
  readonly endpointCount: number
  /** Kernel settings that do not decide about packets. */
  readonly kernel: KernelSettings
}

/**
 * The masquerade policy selects the packets that the endpoint receives with a node address as source, so that the
 * client IP is not preserved: all packets, all packets except packets from pods, or none. `offCluster` requires local
 * traffic detection (`NodeFacts.localTrafficDetection`).
 */
export type MasqueradePolicy = 'all' | 'offCluster' | 'none'

/** The node addresses that serve node ports. */
export interface NodePortBinding {
  /** Whether every local address serves node ports, except loopback. */
  readonly all: boolean
  /** The addresses, sorted; with loopback addresses only if `localhostNodePorts`. Empty if `all`. */
  readonly addresses: readonly string[]
}

/** The expected handling of packets for one service port. */
export interface ServicePlan {
  /** The identity of the service port. */
  readonly id: ServicePortId
  /** The cluster IP, in canonical form. */
  readonly clusterIP: string
  /** The session-affinity timeout in seconds; absent without affinity. */
  readonly affinitySeconds?: number | undefined
  /** The endpoints that routes refer to. */
  readonly pools: EndpointPools
  /** All endpoints that some clause can reach: the union of the pools, in the order of the endpoints. */
  readonly reachable: readonly Endpoint[]
  /** All endpoints on this node, in any condition. */
  readonly localEndpoints: readonly Endpoint[]
  /** All known endpoints, in any condition: the list object of the service port. */
  readonly endpoints: readonly Endpoint[]
  /** The number of known endpoints, ready or not. */
  readonly endpointCount: number
  /** Cluster IP first, then external IPs, load-balancer IPs and the node port, each in the order of the Service. */
  readonly frontends: readonly Frontend[]
  /**
   * The clauses for packets to external destinations with policy Local, even if the Service has no such destinations; only
   * with feature `xlbChains`.
   */
  readonly localClauses?: ClauseList | undefined
  /** The node port that ends the plan, because no address of the node serves it (feature `endsAtUnservedNodePort`). */
  readonly unservedNodePort?: number | undefined
  /** The port of the health-check responder; absent if the Service has none. */
  readonly healthCheckNodePort?: number | undefined
}

/**
 * Endpoint pools. `cluster`: endpoints on any node; `local`: those on this node. Each is empty if no policy needs it.
 */
export interface EndpointPools {
  /** All usable endpoints of the cluster. */
  readonly cluster: readonly Endpoint[]
  /** The usable endpoints on this node. */
  readonly local: readonly Endpoint[]
}

/** The name of a pool of endpoints. */
export type PoolName = keyof EndpointPools

/** The four kinds of frontends. */
export type FrontendKind = 'clusterIP' | 'externalIP' | 'loadBalancer' | 'nodePort'

/** One address and port of a service port. */
export interface Frontend {
  /** The kind of address. */
  readonly kind: FrontendKind
  /** The canonical address; absent for `nodePort`, which uses the node-port addresses of the node. */
  readonly address?: string | undefined
  /** The port that clients use. */
  readonly port: number
  /** Whether the traffic policy of this frontend is Local; for explanations only. */
  readonly usesLocalPolicy: boolean
  /**
   * Whether endpoints see the addresses of clients, apart from short circuits and regardless of the endpoints. Only for
   * subsystems that configure it per frontend; the clauses are exact for each packet. Absent for cluster IPs, see
   * `clusterIPMasquerade`.
   */
  readonly preservesClientIP?: boolean | undefined
  /** The permitted sources, for load-balancer IPs of Services with source ranges; absent means any. */
  readonly allowedSources?: AllowedSources | undefined
  /** The clauses. All external frontends of a service port share one list, unless feature `xlbChains` is on. */
  readonly clauses: ClauseList
}

/** Clients that may reach a load-balancer IP (`loadBalancerSourceRanges`). */
export interface AllowedSources {
  /** The networks of the clients. */
  readonly ranges: readonly Cidr[]
  /**
   * Whether a range contains this node. Packets from the load-balancer IPs of the Service itself are then also
   * accepted.
   */
  readonly includesThisNode: boolean
}

/** An ordered list of clauses; the first one that applies to a packet wins. The last one applies to all packets. */
export type ClauseList = readonly Clause[]

/** One entry of the expected handling: a traffic source, the action for its packets, and the reason. */
export interface Clause {
  /** The packets that it applies to. */
  readonly source: TrafficSource
  /**
   * Whether the endpoint sees the address of the node as source. This is always true for packets from the chosen
   * endpoint itself.
   */
  readonly masquerade: boolean
  /** What happens to the packet. */
  readonly action: ClauseAction
  /** The reason for the action. */
  readonly reason: ClauseReason
}

/** A traffic source. `fromPod` and `notFromPod` require local traffic detection (`NodeFacts.localTrafficDetection`). */
export type TrafficSource = 'anyone' | 'fromPod' | 'notFromPod' | 'fromThisNode' | 'fromLoopback'

/** What a clause does with a packet. */
export type ClauseAction =
  | { readonly kind: 'pool'; readonly pool: PoolName }
  /** A local process accepts the connection, and connects to an endpoint of the pool, unless the pool is empty. */
  | { readonly kind: 'proxy'; readonly pool: PoolName }
  | { readonly kind: 'reject' }
  | { readonly kind: 'drop' }

/**
 * The reason of a clause.
 * - `offCluster`: sent from outside the pod network, so the reply must return through this node; to a cluster IP, with
 *   feature `podsKnownAtExternalIPs` also to an external IP
 * - `masqueradeAll`: the configuration masquerades everything sent to cluster IPs
 * - `podShortCircuit`: pods reach external destinations of a Local Service like its cluster IP
 * - `nodeShortCircuit`: the same for the node itself
 * - `policy`: the regular case of the traffic policy
 * - `noEndpoints`: no usable endpoint on any node
 * - `noLocalEndpoints`: the policy is Local and no usable endpoint is on this node
 * - `proxy`: a local process accepts every connection, regardless of endpoints
 */
export type ClauseReason =
  | 'offCluster'
  | 'masqueradeAll'
  | 'podShortCircuit'
  | 'nodeShortCircuit'
  | 'policy'
  | 'noEndpoints'
  | 'noLocalEndpoints'
  | 'proxy'
