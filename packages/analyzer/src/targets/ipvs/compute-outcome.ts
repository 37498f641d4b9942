import { type EndpointCandidate, isFromPod } from '@kube-rules/compiler/internal/plan/decide'
import type { Frontend, FrontendKind, Plan, ServicePlan } from '@kube-rules/compiler/internal/plan/plan'
import type { Packet } from '@kube-rules/types'
import { cidrContains } from '@kube-rules/types/internal/cidr'
import { isLoopback, joinHostPort } from '@kube-rules/types/internal/ip'
import { formatEndpointOutcome } from '../../plan/format-decision.js'
import type { BlockingVerdict } from '../shared/blocking-verdict.js'
import { findNodePortAddresses, isBound, isLocal } from './local-addresses.js'

type Endpoint = EndpointCandidate['endpoint']

/**
 * Computes the outcome of a packet in ipvs mode, with all limitations of the mode. Returns sorted lines in the notation
 * of `formatEnds`. The outcome follows from the plan alone, without the rules, sets and virtual servers.
 *
 * A packet from outside or from a pod traverses nat/KUBE-SERVICES, the filters of INPUT and the virtual server. A packet
 * of the node traverses nat/KUBE-SERVICES and the virtual server. If it then stays on the node, it traverses the filters
 * of INPUT with the rewritten destination.
 */
export function computeIpvsOutcome(plan: Plan, packet: Packet): readonly string[] {
  const { origin, destination, destinationPort: port } = packet
  const isOwn = origin === 'node'
  const at: Place = { address: destination, port }
  const marked = isMarked(plan, packet, at)
  const isToNode = isLocal(plan, destination)
  const verdict = isToNode && !isOwn ? findInputVerdict(plan, packet, at) : undefined
  if (verdict !== undefined) return [verdict]
  const servers = findRealServers(plan, packet)
  if (servers === undefined) {
    const end = isMasqueraded(plan, packet, at, marked) && (isOwn || !isToNode) ? 'unmatched*' : 'unmatched'
    return [(isOwn && isToNode ? findInputVerdict(plan, packet, at) : undefined) ?? end]
  }
  if (servers.length === 0) return ['rejected']
  const share = ['', 'rr', 'wrr'].includes(plan.kernel.ipvs.scheduler) ? `1/${servers.length}` : '1'
  const texts = servers.map((server) =>
    formatServerOutcome(plan, packet, server, marked, servers.length === 1 ? '1' : share),
  )
  return [...new Set(texts)].sort()
}

interface Place {
  readonly address: string
  readonly port: number
}

/** Returns the outcome of a packet that the virtual server sends to one endpoint. */
function formatServerOutcome(
  plan: Plan,
  packet: Packet,
  { ip, port }: Endpoint,
  marked: boolean,
  share: string,
): string {
  const text = joinHostPort(ip, port)
  const at: Place = { address: ip, port }
  const isOwn = packet.origin === 'node'
  if (!isLocal(plan, ip)) {
    if (isDroppedInOutput(plan, packet)) return 'dropped'
    // Packets of the node traverse nat/KUBE-SERVICES a second time, with the endpoint as destination.
    const isMarkedAgain = isOwn && isMarked(plan, packet, at)
    return formatEndpointOutcome(text, isMasqueraded(plan, packet, at, marked || isMarkedAgain), share)
  }
  if (!isOwn) return formatEndpointOutcome(text, false, share)
  if (isDroppedInOutput(plan, packet)) return 'dropped'
  const verdict = findInputVerdict(plan, packet, at)
  return verdict ?? formatEndpointOutcome(text, isMasqueraded(plan, packet, at, marked), share)
}

/**
 * Returns the endpoints of the virtual server of a packet; undefined without a virtual server. All clients share these
 * endpoints: those of the clause that applies to every client.
 */
function findRealServers(plan: Plan, packet: Packet): readonly Endpoint[] | undefined {
  const { destination, destinationPort: port } = packet
  const isAddress = (each: Frontend) => each.address === destination && each.port === port
  const servesNodePorts = findNodePortAddresses(plan).includes(destination)
  const isNodePort = (each: Frontend) => servesNodePorts && each.kind === 'nodePort' && each.port === port
  const found = findFrontend(plan, packet, isAddress, isNodePort) ?? findFrontend(plan, packet, isNodePort, isNodePort)
  if (found === undefined) return undefined
  const { service, frontend } = found
  const action = frontend.clauses.at(-1)?.action
  if (action?.kind === 'drop') return plan.kernel.features.localFallsBack ? service.pools.cluster : []
  return action?.kind === 'pool' ? service.pools[action.pool] : []
}

interface FrontendOfService {
  readonly service: ServicePlan
  readonly frontend: Frontend
}

/**
 * Returns the first service port with a frontend that `matches`, and its last frontend that matches, which replaces the
 * real servers of the earlier frontends. A frontend that `replaces` counts as well.
 */
function findFrontend(
  { services }: Plan,
  { protocol }: Packet,
  matches: (frontend: Frontend) => boolean,
  replaces: (frontend: Frontend) => boolean,
): FrontendOfService | undefined {
  const service = services.find(({ id, frontends }) => id.protocol === protocol && frontends.some(matches))
  const frontend = service?.frontends.filter((each) => matches(each) || replaces(each)).at(-1)
  return service && frontend && { service, frontend }
}

/** Reports whether nat/KUBE-SERVICES marks a packet with this destination for masquerading. */
function isMarked(plan: Plan, packet: Packet, at: Place): boolean {
  const { features } = plan.kernel
  if (features.loopbackNotMasqueraded && isLoopback(packet.source)) return false
  const frontends = frontendsAt(plan, packet, at)
  const ofKind = (wanted: FrontendKind) => frontends.filter(({ kind }) => kind === wanted)
  const [loadBalancers, externalIPs] = [ofKind('loadBalancer'), ofKind('externalIP')]
  if (loadBalancers.length > 0 && !loadBalancers.some(preservesClientIP)) return true
  if (isMarkedAsClusterIP(plan, packet, at)) return true
  // The rules of external IPs accept the packet, so the rules of node ports do not see it.
  if (externalIPs.length > 0) return !externalIPs.every(preservesClientIP)
  return isLocal(plan, at.address) && isMarkedAsNodePort(plan, packet, at)
}

/** Without local traffic detection, the rule of cluster IPs compares the source with the cluster IPs. */
function isMarkedAsClusterIP(plan: Plan, packet: Packet, at: Place): boolean {
  const isClusterIP = (place: Place) => frontendsAt(plan, packet, place).some(({ kind }) => kind === 'clusterIP')
  switch (plan.clusterIPMasquerade) {
    case 'all':
      return isClusterIP(at)
    case 'offCluster':
      return isClusterIP(at) && !isFromPod(plan.node.localTrafficDetection, packet)
    case 'none':
      return isClusterIP({ address: packet.source, port: at.port })
  }
}

/** The sets of TCP and UDP node ports contain only ports, so the rules match them at every local address. */
function isMarkedAsNodePort(plan: Plan, { protocol }: Packet, { address, port }: Place): boolean {
  const { servedNodePortsOnly, sctpNodePortsByAddress, localSctpNodePortsReturn } = plan.kernel.features
  const nodePorts = plan.services
    .filter(({ id }) => id.protocol === protocol)
    .flatMap(({ frontends }) => frontends.filter((each) => each.kind === 'nodePort' && each.port === port))
  if (nodePorts.length === 0) return false
  const served = findNodePortAddresses(plan)
  if (protocol !== 'SCTP') return (served.length > 0 || !servedNodePortsOnly) && !nodePorts.some(preservesClientIP)
  if (!sctpNodePortsByAddress || !served.includes(address)) return false
  return !localSctpNodePortsReturn || !nodePorts.some(preservesClientIP)
}

/** Returns the verdict of the filters of INPUT for a packet with this destination; undefined if they pass it. */
function findInputVerdict(plan: Plan, packet: Packet, at: Place): BlockingVerdict | undefined {
  const { features } = plan.kernel
  if (features.accessFilter && isBound(plan, at.address) && !isAccessible(plan, packet, at)) return 'rejected'
  return isOutsideRanges(plan, packet, at) ? 'dropped' : undefined
}

/** Reports whether KUBE-IPVS-FILTER passes packets to a port of a bound address. */
function isAccessible(plan: Plan, packet: Packet, at: Place): boolean {
  const { accessToLocalExternalIPs, accessToHealthChecks } = plan.kernel.features
  const isServed = frontendsAt(plan, packet, at).some(
    (frontend) => accessToLocalExternalIPs || frontend.kind !== 'externalIP' || !preservesClientIP(frontend),
  )
  return isServed || (accessToHealthChecks && isAcceptedHealthCheck(plan, at))
}

function isAcceptedHealthCheck(plan: Plan, { port }: Place): boolean {
  const isServingNodePorts = findNodePortAddresses(plan).length > 0
  return plan.services.some(
    ({ healthCheckNodePort, frontends }) =>
      healthCheckNodePort === port && (isServingNodePorts || !frontends.some(({ kind }) => kind === 'nodePort')),
  )
}

/**
 * Reports whether source ranges at a destination exclude the source of a packet. The ranges of all frontends at the
 * destination accept packets. A range of prefix length 0 accepts none, because an ipset cannot contain it.
 */
function isOutsideRanges(plan: Plan, packet: Packet, at: Place): boolean {
  if (plan.kernel.features.sourceRangesInNat) return false
  const allowed = frontendsAt(plan, packet, at).flatMap(({ allowedSources }) => allowedSources ?? [])
  return (
    allowed.length > 0 &&
    !allowed.some(
      ({ ranges, includesThisNode }) =>
        ranges.some((range) => range.prefixLength > 0 && cidrContains(range, packet.source)) ||
        (includesThisNode && packet.source === at.address),
    )
  )
}

/** Reports whether KUBE-IPVS-OUT-FILTER drops a packet from a load-balancer IP to itself. */
function isDroppedInOutput(plan: Plan, packet: Packet): boolean {
  const { source, destination: address, destinationPort: port } = packet
  if (!plan.kernel.features.ownPacketsFiltered || source !== address) return false
  return frontendsAt(plan, packet, { address, port }).some(
    ({ allowedSources }) => allowedSources?.includesThisNode === false,
  )
}

/** Reports whether a packet that leaves the node, or returns to it through `lo`, is masqueraded. */
function isMasqueraded({ services }: Plan, { source, protocol }: Packet, at: Place, marked: boolean): boolean {
  const isHairpin =
    at.address === source &&
    services.some(
      ({ id, localEndpoints }) =>
        id.protocol === protocol && localEndpoints.some(({ ip, port }) => ip === at.address && port === at.port),
    )
  return marked || isHairpin
}

/** Returns the frontends with this address and port. Node ports have no address. */
function frontendsAt({ services }: Plan, { protocol }: Packet, { address, port }: Place): readonly Frontend[] {
  return services
    .filter(({ id }) => id.protocol === protocol)
    .flatMap(({ frontends }) => frontends.filter((each) => each.address === address && each.port === port))
}

function preservesClientIP(frontend: Frontend): boolean {
  return frontend.preservesClientIP === true
}
