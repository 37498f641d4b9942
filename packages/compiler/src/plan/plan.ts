import type { Cidr, IpFamily, Protocol } from '@kube-rules/types'
import type { Endpoint } from '../model/endpoints/endpoint.js'
import type { NodeFacts } from '../model/node/node-facts.js'
import type { ServicePortId } from '../model/services/service-port.js'
import type { UnassignedEndpoints } from '../model/services/unassigned-endpoints.js'
import type { KernelSettings } from './kernel-settings.js'

/** The expected handling of packets, for one address family. A plan does not depend on any kernel subsystem. */
export interface Plan extends PlanHeader {
  /** The service ports, in code-unit order of `id.text`, then protocol. */
  readonly services: readonly ServicePlan[]
  /**
   * The endpoints of UDP ports that no service port has, in the order of service ports. Up to 1.31, a later service port
   * keeps its connections to them. Always empty from 1.32 on.
   */
  readonly unassignedEndpoints: readonly UnassignedEndpoints[]
}

/** The shared part of a plan, without service ports. */
export interface PlanHeader {
  /** The address family. */
  readonly family: IpFamily
  /** Facts about the node. */
  readonly node: NodeFacts
  /** The node addresses that serve node ports. */
  readonly nodePorts: NodePortBinding
  /** Whether loopback addresses also serve node ports. For IPv6, they do so only in userspace mode. */
  readonly localhostNodePorts: boolean
  /**
   * The protocols of the node ports that are rejected on the loopback addresses of both families, sorted. Node ports of
   * other protocols have no rules on loopback addresses.
   */
  readonly rejectedLocalhostNodePorts: readonly Protocol[]
  /**
   * Whether the userspace proxy accepts the connections. Each node port, and each port of a node address, belongs to
   * one service port. If an earlier service port already uses the port of a frontend, a later service port loses this
   * frontend and all its frontends after it.
   */
  readonly connectionsTaken: boolean
  /**
   * The masquerade policy for packets to a cluster IP that reach an endpoint. The clauses of the cluster IPs use the
   * same policy.
   */
  readonly clusterIPMasquerade: MasqueradePolicy
  /**
   * The networks for cluster IPs as written, in the order of the ServiceCIDR names; empty if unknown. Packets to
   * unallocated addresses in these networks are invalid.
   */
  readonly serviceCIDRs: readonly string[]
  /** The number of known endpoints of all service ports, ready or not. */
  readonly endpointCount: number
  /** The kernel settings that do not affect the decision about a packet. */
  readonly kernel: KernelSettings
}

/**
 * The masquerade policy selects the packets that are masqueraded: all packets, all packets except packets from pods, or
 * none. The endpoint receives a masqueraded packet with a node address as source, so the client IP is lost.
 * `offCluster` requires local traffic detection (`NodeFacts.localTrafficDetection`).
 */
export type MasqueradePolicy = 'all' | 'offCluster' | 'none'

/** The node addresses that serve node ports. */
export interface NodePortBinding {
  /** Whether every local address, excluding loopback addresses, serves node ports. */
  readonly all: boolean
  /**
   * The addresses, sorted; empty if `all` is true. Loopback addresses are included only if `localhostNodePorts` is
   * true.
   */
  readonly addresses: readonly string[]
}

/** The expected handling of packets for one service port. */
export interface ServicePlan {
  /** The identity of the service port. */
  readonly id: ServicePortId
  /** The cluster IP, in canonical form. */
  readonly clusterIP: string
  /** The timeout of session affinity in seconds; absent if the service port has no affinity. */
  readonly affinitySeconds?: number | undefined
  /** The endpoints that clauses refer to. */
  readonly pools: EndpointPools
  /** All endpoints that some clause can reach: the union of the pools, in the order of the endpoints. */
  readonly reachable: readonly Endpoint[]
  /** All endpoints on this node, whatever their conditions. */
  readonly localEndpoints: readonly Endpoint[]
  /** All known endpoints, whatever their conditions. This is the same list object as in the service port. */
  readonly endpoints: readonly Endpoint[]
  /** The number of known endpoints, ready or not. */
  readonly endpointCount: number
  /**
   * The frontends: first the cluster IP, then the external IPs, the load-balancer IPs and the node port. The IPs have
   * the order of the Service.
   */
  readonly frontends: readonly Frontend[]
  /**
   * The clauses for packets to external destinations with policy Local. They exist even if the Service has no external
   * destinations; only with feature `xlbChains`.
   */
  readonly localClauses?: ClauseList | undefined
  /**
   * The node port where the plan ends. The plan ends there if no address of the node serves the node port (feature
   * `endsAtUnservedNodePort`).
   */
  readonly unservedNodePort?: number | undefined
  /** The port of the health-check responder; absent if the Service has none. */
  readonly healthCheckNodePort?: number | undefined
}

/**
 * The pools of endpoints. `cluster` contains endpoints on any node, `local` endpoints on this node. A pool is empty if
 * no policy needs it.
 */
export interface EndpointPools {
  /** All usable endpoints of the cluster. */
  readonly cluster: readonly Endpoint[]
  /** The usable endpoints on this node. */
  readonly local: readonly Endpoint[]
}

/** The name of a pool of endpoints. */
export type EndpointPoolName = keyof EndpointPools

/** The four kinds of frontends. */
export type FrontendKind = 'clusterIP' | 'externalIP' | 'loadBalancer' | 'nodePort'

/** An address and a port where clients reach a service port. */
export interface Frontend {
  /** The kind of address. */
  readonly kind: FrontendKind
  /** The address in canonical form. Absent for `nodePort`, because a node port uses the node-port addresses of the node. */
  readonly address?: string | undefined
  /** The port that clients use. */
  readonly port: number
  /** Whether the traffic policy of this frontend is Local. Used only for explanations. */
  readonly usesLocalPolicy: boolean
  /**
   * Whether endpoints see the addresses of clients, ignoring the exceptions for packets from pods and this node, and
   * regardless of the endpoints. Only for subsystems that configure masquerading per frontend; the clauses are exact
   * for each packet. Absent for cluster IPs, see `clusterIPMasquerade`.
   */
  readonly preservesClientIP?: boolean | undefined
  /**
   * The permitted sources; present only for load-balancer IPs of Services with source ranges. Absent means that every
   * source is permitted.
   */
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

/**
 * An ordered list of clauses. The first clause that applies to a packet decides. The last clause applies to all
 * packets.
 */
export type ClauseList = readonly Clause[]

/** One entry of the expected handling: a traffic source, the action for its packets, and the reason. */
export interface Clause {
  /** The source of the packets that the clause applies to. */
  readonly source: TrafficSource
  /**
   * Whether the endpoint sees the address of the node as the source. For packets from the chosen endpoint itself, the
   * endpoint always sees the address of the node.
   */
  readonly masquerade: boolean
  /** The action for the packet. */
  readonly action: ClauseAction
  /** The reason for the action. */
  readonly reason: ClauseReason
}

/**
 * A traffic source: the origin of the packets that a clause applies to. `fromPod` and `notFromPod` require local
 * traffic detection (`NodeFacts.localTrafficDetection`).
 */
export type TrafficSource = 'anyone' | 'fromPod' | 'notFromPod' | 'fromThisNode' | 'fromLoopback'

/** The action of a clause for a packet. */
export type ClauseAction =
  | { readonly kind: 'pool'; readonly pool: EndpointPoolName }
  /** The userspace proxy accepts the connection, and connects to an endpoint of the pool, unless the pool is empty. */
  | { readonly kind: 'proxy'; readonly pool: EndpointPoolName }
  | { readonly kind: 'reject' }
  | { readonly kind: 'drop' }

/**
 * The reason for a clause.
 * - `offCluster`: the packet comes from outside the pod network, so the reply must return through this node. Applies to
 * packets to a cluster IP; with the feature `podsKnownAtExternalIPs`, also to packets to an external IP
 * - `masqueradeAll`: the configuration masquerades all packets to cluster IPs
 * - `podShortCircuit`: for pods, external destinations of a Service with the policy Local behave like its cluster IP
 * - `nodeShortCircuit`: like `podShortCircuit`, for packets of the node itself
 * - `policy`: the regular case of the traffic policy
 * - `noEndpoints`: no endpoint on any node is usable
 * - `noLocalEndpoints`: the policy is Local and no endpoint on this node is usable
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
