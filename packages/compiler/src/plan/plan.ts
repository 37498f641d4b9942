import type { Cidr, IpFamily, Protocol } from '@kube-rules/types'
import type { Endpoint } from '../model/endpoints/endpoint.js'
import type { NodeFacts } from '../model/node/node-facts.js'
import type { ServicePortId } from '../model/services/service-port.js'
import type { KernelSettings } from './kernel-settings.js'

/** What should happen to packets, for one address family. No word of any kernel language. */
export interface Plan extends PlanFrame {
  /** In code-unit order of `id.text`, then protocol. */
  readonly services: readonly ServicePlan[]
}

/** A plan without its service ports: what all of them have in common. */
export interface PlanFrame {
  readonly family: IpFamily
  readonly node: NodeFacts
  readonly nodePorts: NodePortService
  /** Whether node ports also answer on loopback addresses; of IPv6 only where a process takes the connections. */
  readonly localhostNodePorts: boolean
  /** The protocols whose node ports are refused on loopback addresses of either family, sorted; elsewhere they are left alone. */
  readonly refusedLocalhostNodePorts: readonly Protocol[]
  /**
   * Whether a process of the node takes the connections. Each of its ports is for one service port: one that wants a node port,
   * or an address of the node, that another has before it ends there.
   */
  readonly connectionsTaken: boolean
  /** Whose packets to cluster IPs are masqueraded on their way to an endpoint: as the routes of these say of each packet. */
  readonly clusterIPMasquerade: Masqueraded
  /**
   * The networks out of which the cluster gives cluster IPs, as they are written, by the name of their ServiceCIDR: packets to
   * other addresses of them have nowhere to go. Empty where that is not known.
   */
  readonly serviceNetworks: readonly string[]
  /** Known endpoints of all service ports, ready or not. */
  readonly endpointCount: number
  /** What is no decision about packets, but has to be said to the kernel. */
  readonly kernel: KernelSettings
}

/**
 * Whose packets reach their endpoint with the node's address as the source, so that it does not see who the client is:
 * everybody's, those of all but pods, or nobody's. `notFromPod` occurs only where the node can tell (`NodeFacts.podTraffic`).
 */
export type Masqueraded = 'anyone' | 'notFromPod' | 'nobody'

/** The addresses of the node on which node ports answer. */
export interface NodePortService {
  /** On every local address, loopback apart. */
  readonly all: boolean
  /** Otherwise on these, sorted; with loopback addresses only where `localhostNodePorts`. Empty where `all`. */
  readonly addresses: readonly string[]
}

/** What should happen to packets for one service port. */
export interface ServicePlan {
  readonly id: ServicePortId
  readonly clusterIP: string
  /** Seconds for which a client stays with its endpoint; absent without affinity. */
  readonly affinitySeconds?: number | undefined
  readonly pools: Pools
  /** Every endpoint that some clause can reach: both pools together, in the byte order of `text`. */
  readonly reachable: readonly Endpoint[]
  /** Every endpoint on this node, in any condition. */
  readonly onThisNode: readonly Endpoint[]
  /** Every known endpoint, in any condition: the very list of the service port. */
  readonly endpoints: readonly Endpoint[]
  readonly endpointCount: number
  /** Cluster IP first, then external IPs, load-balancer IPs and the node port, each in the Service's order. */
  readonly frontends: readonly Frontend[]
  /** The port of the health-check responder; absent where the Service has none. */
  readonly healthCheckNodePort?: number | undefined
}

/** `cluster`: endpoints anywhere; `local`: those on this node. Each is empty where no policy needs it. */
export interface Pools {
  readonly cluster: readonly Endpoint[]
  readonly local: readonly Endpoint[]
}

export type PoolName = keyof Pools

export type FrontendKind = 'clusterIP' | 'externalIP' | 'loadBalancer' | 'nodePort'

/** One address and port under which a service port is reached. */
export interface Frontend {
  readonly kind: FrontendKind
  /** Canonical; absent for `nodePort`, which answers on the node-port addresses of the node. */
  readonly address?: string | undefined
  readonly port: number
  /** Whether the traffic policy that governs this frontend is Local: why things are as they are, for people to read. */
  readonly policyLocal: boolean
  /**
   * Whether endpoints see the addresses of clients, short circuits apart and whatever endpoints there are: for languages that
   * say it of a frontend as a whole. The route says it of each packet. Absent for cluster IPs, see `clusterIPMasquerade`.
   */
  readonly endpointsSeeClients?: boolean | undefined
  /** Who may come, for load-balancer IPs of Services with source ranges; absent means anyone. */
  readonly allowedSources?: AllowedSources | undefined
  /** All external frontends of a service port share one route object. */
  readonly route: Route
}

export interface AllowedSources {
  readonly ranges: readonly Cidr[]
  /** A range contains this node: then packets from the Service's own load-balancer IPs are accepted too. */
  readonly includesThisNode: boolean
}

/** Ordered; the first clause that applies to a packet wins. The last one applies to anyone. */
export type Route = readonly Clause[]

export interface Clause {
  readonly when: When
  /** Whether the endpoint sees the node's address as the source. Packets from the chosen endpoint itself always are. */
  readonly masquerade: boolean
  readonly then: ClauseVerdict
  readonly reason: Reason
}

/** `fromPod` and `notFromPod` occur only where the node can tell (`NodeFacts.podTraffic`). */
export type When = 'anyone' | 'fromPod' | 'notFromPod' | 'fromThisNode'

export type ClauseVerdict =
  | { readonly to: 'pool'; readonly pool: PoolName }
  /** To a process of the node, which opens a connection of its own to an endpoint of the pool, if it has any. */
  | { readonly to: 'proxy'; readonly pool: PoolName }
  | { readonly to: 'reject' }
  | { readonly to: 'drop' }

/**
 * Why a clause says what it says.
 * - `offCluster`: sent to a cluster IP from outside the pod network, so the reply must come back through this node
 * - `masqueradeAll`: the configuration masquerades everything sent to cluster IPs
 * - `podShortCircuit`: pods reach external destinations of a Local Service as they would its cluster IP
 * - `nodeShortCircuit`: so does the node itself
 * - `policy`: the traffic policy's ordinary case
 * - `noEndpoints`: no usable endpoint anywhere
 * - `noLocalEndpoints`: the policy is Local and no usable endpoint is on this node
 * - `proxy`: a process of the node takes every connection, whatever endpoints there are
 */
export type Reason =
  | 'offCluster'
  | 'masqueradeAll'
  | 'podShortCircuit'
  | 'nodeShortCircuit'
  | 'policy'
  | 'noEndpoints'
  | 'noLocalEndpoints'
  | 'proxy'
