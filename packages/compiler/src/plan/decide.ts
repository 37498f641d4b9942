import type { Packet } from '@kube-rules/types'
import { cidrContains } from '@kube-rules/types/internal/cidr'
import { familyOf, isLoopback } from '@kube-rules/types/internal/ip'
import { invariant } from '../internal/invariant.js'
import type { Endpoint } from '../model/endpoints/endpoint.js'
import type { LocalTrafficDetection } from '../model/node/local-traffic-detection.js'
import type { NodeFacts } from '../model/node/node-facts.js'
import type { ServicePortId } from '../model/services/service-port.js'
import { isFirewalled } from './frontend.js'
import type { Clause, ClauseReason, Frontend, Plan, ServicePlan, TrafficSource } from './plan.js'
import { selectOpenedFrontends } from './port-conflicts.js'
import { hasLowerPrecedence, type RankedClaimant, selectPreferredClaimant, sortByPrecedence } from './precedence.js'

/** The handling of the first packet of a connection. */
export type Decision =
  /** No kube-proxy rule handles the packet: its destination is not served, or the pool of endpoints is empty. */
  | { readonly kind: 'unmatched' }
  /**
   * The packet is for the health-check responder of the Service of this service port, which runs on the node itself.
   */
  | { readonly kind: 'healthCheck'; readonly servicePort: ServicePortId }
  | (FrontendDecision & { readonly kind: 'reject' | 'drop' })
  | (FrontendDecision & { readonly kind: 'endpoints'; readonly candidates: readonly EndpointCandidate[] })
  /** The userspace proxy accepts the connection, and connects to one of the candidates, if there are any. */
  | (FrontendDecision & { readonly kind: 'proxy'; readonly candidates: readonly EndpointCandidate[] })

/** The decision about packets to a frontend. */
export interface FrontendDecision {
  /** The service port of the frontend. */
  readonly servicePort: ServicePortId
  /** The frontend of the packet. */
  readonly frontend: Frontend
  /** The reason for the decision. */
  readonly reason: DecisionReason
}

/**
 * - `sourceRange`: the source is in none of the ranges that the Service accepts
 * - `localhostNodePort`: node ports of this protocol are rejected on loopback addresses
 */
export type DecisionReason = ClauseReason | 'sourceRange' | 'localhostNodePort'

/** A possible endpoint of the packet. The weights of all candidates add up to one. */
export interface EndpointCandidate {
  /** An endpoint that may be chosen. */
  readonly endpoint: Endpoint
  /** The share of the connections that this endpoint gets, as a fraction. */
  readonly weight: { readonly numerator: 1; readonly denominator: number }
  /** Whether the endpoint sees the address of the node as source. */
  readonly masquerade: boolean
}

interface Hit extends RankedClaimant {
  readonly service: ServicePlan
  readonly frontend: Frontend
}

/**
 * Decides how a packet is handled according to a plan. This decision is the reference for the rules of every mode.
 *
 * The decision is for a client without a session-affinity entry. If several service ports claim the destination,
 * `selectPreferredClaimant` selects one service port, and `sortByPrecedence` one of its frontends. Takes time proportional to the size of the plan.
 */
export function decide(given: Plan, packet: Packet): Decision {
  const plan = selectOpenedFrontends(given)
  if (familyOf(packet.destination) !== plan.family) return { kind: 'unmatched' }
  const hit = selectPreferredClaimant(hits(plan, packet))
  return hit === undefined ? decideWithoutFrontend(plan, packet) : decideAtFrontend(plan, hit, packet)
}

function decideAtFrontend(plan: Plan, { service, frontend }: Hit, packet: Packet): Decision {
  const clause = firstClause(frontend, plan.node, packet)
  const at = { servicePort: service.id, frontend }
  // If there are no endpoints, every client is rejected before its source is checked.
  if (isFirewalled(frontend) && !isAcceptedSource(service, frontend, packet.source)) {
    return { kind: 'drop', ...at, reason: 'sourceRange' }
  }
  const { action: then, reason } = clause
  if (then.kind === 'proxy') {
    return { kind: 'proxy', ...at, reason, candidates: candidatesOfProxy(service.pools[then.pool]) }
  }
  if (then.kind !== 'pool') return { kind: then.kind, ...at, reason }
  const candidates = candidatesOf(service.pools[then.pool], clause, packet, plan.node)
  return candidates.length === 0 ? { kind: 'unmatched' } : { kind: 'endpoints', ...at, reason, candidates }
}

function decideWithoutFrontend(plan: Plan, packet: Packet): Decision {
  const rejection = loopbackVerdict(plan, packet)
  if (rejection !== undefined) return rejection
  const service = plan.services.find(
    ({ healthCheckNodePort }) =>
      healthCheckNodePort === packet.destinationPort &&
      packet.protocol === 'TCP' &&
      isNodeAddress(plan.node, packet.destination),
  )
  return service === undefined ? { kind: 'unmatched' } : { kind: 'healthCheck', servicePort: service.id }
}

/**
 * Returns the decision `reject` for a packet to a node port on a loopback address, if such packets are rejected and any
 * Service has the node port. Returns undefined for other packets.
 */
function loopbackVerdict(plan: Plan, { protocol, destination, destinationPort }: Packet): Decision | undefined {
  if (!plan.rejectedLocalhostNodePorts.includes(protocol) || !isLoopback(destination)) return undefined
  for (const service of plan.services) {
    if (service.id.protocol !== protocol) continue
    const frontend = service.frontends.find(({ kind, port }) => kind === 'nodePort' && port === destinationPort)
    if (frontend === undefined) continue
    return { kind: 'reject', servicePort: service.id, frontend, reason: 'localhostNodePort' }
  }
  return undefined
}

/**
 * Returns the endpoints of a pool as candidates with equal weights. A packet from an endpoint to itself is masqueraded,
 * because the endpoint would otherwise not receive the reply. A packet from a pod or from outside is not masqueraded if
 * the endpoint has an address of this node, because the packet then stays on the node.
 */
function candidatesOf(
  pool: readonly Endpoint[],
  clause: Clause,
  packet: Packet,
  node: NodeFacts,
): readonly EndpointCandidate[] {
  return pool.map((endpoint) => ({
    endpoint,
    weight: { numerator: 1, denominator: pool.length },
    masquerade:
      (clause.masquerade || endpoint.ip === packet.source) &&
      (packet.origin === 'node' || !isNodeAddress(node, endpoint.ip)),
  }))
}

/**
 * Returns the candidates of the userspace proxy. The proxy connects to the endpoints in turn, so the endpoints always
 * see the node as the client.
 */
function candidatesOfProxy(pool: readonly Endpoint[]): readonly EndpointCandidate[] {
  const weight = { numerator: 1, denominator: pool.length } as const
  return pool.map((endpoint) => ({ endpoint, weight, masquerade: true }))
}

/**
 * Returns the service ports that claim the destination of a packet, in the order of the plan. If several frontends of a
 * service port claim it, returns each of them, the winner first. `decide` selects one claimant.
 */
export function findClaimants(plan: Plan, packet: Packet): readonly Claimant[] {
  if (familyOf(packet.destination) !== plan.family) return []
  return hits(plan, packet).map(({ service: { id }, frontend }) => ({ servicePort: id, frontend }))
}

/** A service port, with the frontend that claims a destination. */
export type Claimant = Pick<FrontendDecision, 'servicePort' | 'frontend'>

/**
 * Returns the frontends with an address, port and protocol that match a packet. A service port yields to others only if
 * all of its matching frontends do.
 */
function hits(plan: Plan, { protocol, destination, destinationPort }: Packet): readonly Hit[] {
  const nodePorts = servesNodePorts(plan, destination)
  const matching: Hit[] = []
  for (const [place, service] of plan.services.entries()) {
    if (service.id.protocol !== protocol) continue
    const own = service.frontends.filter(({ kind, address, port }) => {
      const isMeant = kind === 'nodePort' ? nodePorts : address === destination
      return isMeant && port === destinationPort
    })
    const yields = own.every(hasLowerPrecedence)
    for (const frontend of sortByPrecedence(own, plan.kernel.features))
      matching.push({ service, frontend, yields, place })
  }
  return matching
}

/**
 * Reports whether an address serves node ports. 127.0.0.0/8 serves node ports only with `localhostNodePorts`. `::1`
 * also needs userspace mode, or a version where loopback addresses always serve node ports.
 */
export function servesNodePorts(
  { family, node, nodePorts, localhostNodePorts, connectionsTaken, kernel }: Plan,
  address: string,
): boolean {
  const servesAll = connectionsTaken || kernel.features.loopbackAlwaysServed || kernel.features.nodePortsOnLoopback
  const servesLoopback = localhostNodePorts && (family === 'IPv4' || servesAll)
  if (isLoopback(address) && !servesLoopback) return false
  return nodePorts.all ? isNodeAddress(node, address) : nodePorts.addresses.includes(address)
}

/**
 * Reports whether a source is accepted. If the source ranges contain this node, the load-balancer IPs of the Service
 * are also accepted as sources, because the node may use them as source addresses.
 */
export function isAcceptedSource(service: ServicePlan, { allowedSources }: Frontend, source: string): boolean {
  if (allowedSources === undefined || allowedSources.ranges.some((range) => cidrContains(range, source))) return true
  return allowedSources.includesThisNode && service.frontends.some(isLoadBalancerIP(source))
}

function isLoadBalancerIP(address: string): (frontend: Frontend) => boolean {
  return (frontend) => frontend.kind === 'loadBalancer' && frontend.address === address
}

/** Returns the first clause of a frontend that applies to a packet. */
export function firstClause(frontend: Frontend, node: NodeFacts, packet: Packet): Clause {
  const first = frontend.clauses.find((clause) => applies(clause.source, node, packet))
  invariant(first !== undefined, 'the last clause of a frontend applies to anyone')
  return first
}

function applies(when: TrafficSource, node: NodeFacts, packet: Packet): boolean {
  switch (when) {
    case 'anyone':
      return true
    case 'fromPod':
      return isFromPod(node.localTrafficDetection, packet)
    case 'notFromPod':
      return !isFromPod(node.localTrafficDetection, packet)
    case 'fromLoopback':
      return isLoopback(packet.source)
    case 'fromThisNode':
      return isNodeAddress(node, packet.source)
  }
}

/**
 * Reports whether a packet is from a pod, by its address or its incoming interface. Locally generated packets have no
 * incoming interface.
 */
export function isFromPod(localTrafficDetection: LocalTrafficDetection | undefined, packet: Packet): boolean {
  switch (localTrafficDetection?.kind) {
    case 'cidr':
      return cidrContains(localTrafficDetection.cidr, packet.source)
    case 'interface':
      return packet.inInterface === localTrafficDetection.interface
    case 'interfacePrefix':
      return packet.inInterface?.startsWith(localTrafficDetection.prefix) ?? false
    case undefined:
      return false
  }
}

/** Reports whether an address is a local address of this node. All addresses in 127.0.0.0/8 are local. */
export function isNodeAddress(node: NodeFacts, address: string): boolean {
  return isLoopback(address) || node.addresses.some((own) => own.address === address)
}
