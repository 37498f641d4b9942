import type { Features } from '@kube-rules/compiler/internal/model/configuration/features'
import {
  type Decision,
  decide,
  type EndpointCandidate,
  type FrontendDecision,
  findClaimants,
  firstClause,
  isFromPod,
  isNodeAddress,
} from '@kube-rules/compiler/internal/plan/decide'
import { blockingVerdictOf } from '@kube-rules/compiler/internal/plan/frontend'
import type { Frontend, FrontendKind, Plan } from '@kube-rules/compiler/internal/plan/plan'
import type { Packet } from '@kube-rules/types'
import { isLoopback } from '@kube-rules/types/internal/ip'
import { formatDecision } from '../../plan/format-decision.js'
import { findExternalIPs, removeFrontends } from '../../plan/remove-frontends.js'
import type { LimitationPredicate, TracedPacket } from '../limitation-predicate.js'
import { type BlockingVerdict, combineBlockingVerdicts } from '../shared/blocking-verdict.js'
import { createLimitationPredicate } from '../shared/create-limitation-predicate.js'

const UNMATCHED_IF_MARKED = createLimitationPredicate(({ plan, packet, decision }) =>
  markedPacket(plan, packet, decision),
)

/** Predicates that select the packets affected by each limitation of iptables mode, by the outcome of the packet. */
export const LIMITATION_PREDICATES: Readonly<Record<string, LimitationPredicate>> = {
  markedToDrop: {
    ...UNMATCHED_IF_MARKED,
    masquerade: (traced) => isMasqueradedBeforeDrop(traced) || UNMATCHED_IF_MARKED.masquerade?.(traced) === true,
  },
  firstLoadBalancerIP: {},
  externalIPsIgnorePolicy: {},
  ownPacketsKeptLocal: {},
  bridgedExternalIPs: createLimitationPredicate(({ plan, packet, decision }) =>
    computeExternalIPOutcome(plan, packet, decision),
  ),
  endsAtUnservedNodePort: { masquerade: isMasqueradedWithoutEndpoints },
  forwardedPacketsNotRejected: createLimitationPredicate(({ plan, packet, decision }) =>
    forwardedPacket(plan, packet, decision),
  ),
  ownPacketsNotRejected: createLimitationPredicate(({ plan, packet, decision }) => ownPacket(plan, packet, decision)),
  nodePortsRejectedEverywhere: createLimitationPredicate(({ plan, packet, decision }) =>
    rejectedNodePort(plan, packet, decision),
  ),
  endpointRejected: createLimitationPredicate(({ plan, packet, decision }) =>
    computeRejectedOutcome(plan, packet, decision),
  ),
  externalClusterIP: createLimitationPredicate(({ plan, packet, decision }) =>
    isMarkedInServiceChain(plan, packet, decision) ? formatMarkedDecision(plan, packet, decision, true) : undefined,
  ),
  loopbackGuarded: createLimitationPredicate(({ plan, packet, decision }) => guardedLoopback(plan, packet, decision)),
}

function markedPacket(plan: Plan, packet: Packet, decision: Decision): readonly string[] | undefined {
  if (decision.kind !== 'drop' || plan.kernel.features.dropsInFilter) return undefined
  return [formatUnmatched(plan, packet, isMarkedBeforeDrop(plan, packet, decision.frontend))]
}

/**
 * Reports whether rules mark a packet for masquerading before other rules mark it to be dropped. Up to 1.23, KUBE-FW
 * masquerades packets of every source. In 1.24, KUBE-SVL masquerades packets to the cluster IP.
 */
function isMarkedBeforeDrop(plan: Plan, packet: Packet, { kind, preservesClientIP }: Frontend): boolean {
  const { clusterIPMasquerade: policy, kernel, node } = plan
  const { xlbChains } = kernel.features
  switch (kind) {
    case 'clusterIP':
      return policy === 'all' || (policy === 'offCluster' && !isFromPod(node.localTrafficDetection, packet))
    case 'externalIP':
      return false
    case 'loadBalancer':
      return xlbChains && !preservesClientIP
    case 'nodePort':
      return xlbChains && isLoopback(packet.source)
  }
}

/** Returns the outcome of a packet that no rule translates. Only packets that leave the node or that it sends are masqueraded. */
function formatUnmatched(plan: Plan, { origin, destination }: Packet, isMarked: boolean): string {
  return isMarked && (origin === 'node' || !isNodeAddress(plan.node, destination)) ? 'unmatched*' : 'unmatched'
}

/** Reports whether the dropping frontend marked the packet for masquerading before another frontend delivers it. */
function isMasqueradedBeforeDrop({ plan, packet, decision, expected, ends }: TracedPacket): boolean {
  if (decision.kind !== 'drop' || plan.kernel.features.dropsInFilter || expected.kind !== 'endpoints') return false
  const areMasqueraded = ends.every(({ outcome }) => outcome.kind !== 'delivered' || outcome.masqueraded)
  return isMarkedBeforeDrop(plan, packet, decision.frontend) && areMasqueraded
}

/**
 * Computes the outcome of a packet that the rules of an external IP may not match, because the packet comes from the
 * node, or from a pod through a bridge. The rules that mark the packet for masquerading match it nevertheless. Whether a
 * packet comes through a bridge is unknown, so both outcomes are possible.
 */
function computeExternalIPOutcome(plan: Plan, packet: Packet, decision: Decision): readonly string[] | undefined {
  if (!plan.kernel.features.externalIPsSpareBridges || decision.kind !== 'endpoints') return undefined
  const { origin, source, destination } = packet
  if (decision.frontend.kind !== 'externalIP' || origin === 'outside' || isNodeAddress(plan.node, destination))
    return undefined
  const externalIPs = findExternalIPs(plan, packet)
  const isMarked = externalIPs.some(({ preservesClientIP }) => !preservesClientIP)
  const unmatched = formatMarkedDecision(plan, packet, decide(removeFrontends(plan, externalIPs), packet), isMarked)
  const isMatched = origin === 'pod' && !isNodeAddress(plan.node, source)
  const matched = isMatched ? (computeRejectedOutcome(plan, packet, decision) ?? formatDecision(decision)) : []
  return [...new Set([...matched, ...unmatched])].sort()
}

/**
 * Reports whether KUBE-SVC masquerades a packet for another frontend of the Service with the same address and port. The
 * rule of a node port compares only the port.
 */
function isMarkedInServiceChain(plan: Plan, packet: Packet, decision: Decision): boolean {
  if (decision.kind !== 'endpoints' || !plan.kernel.features.masqueradeInServiceChain) return false
  const service = plan.services.find(({ id }) => id === decision.servicePort)
  const others = service?.frontends.filter(
    (frontend) =>
      frontend !== decision.frontend &&
      frontend.kind !== 'loadBalancer' &&
      frontend.port === packet.destinationPort &&
      (frontend.address ?? packet.destination) === packet.destination &&
      !frontend.preservesClientIP,
  )
  return others?.some((frontend) => firstClause(frontend, plan.node, packet).masquerade) === true
}

/** Returns the outcome of a packet that rules of other frontends may have marked for masquerading. */
function formatMarkedDecision(plan: Plan, packet: Packet, decision: Decision, isMarked: boolean): readonly string[] {
  switch (decision.kind) {
    case 'endpoints': {
      const candidates = decision.candidates.map((each) => ({
        ...each,
        masquerade:
          each.masquerade || (isMarked && (packet.origin === 'node' || !isNodeAddress(plan.node, each.endpoint.ip))),
      }))
      const marked = { ...decision, candidates }
      return computeRejectedOutcome(plan, packet, marked) ?? formatDecision(marked)
    }
    case 'drop':
      return [formatUnmatched(plan, packet, isMarked || isMarkedBeforeDrop(plan, packet, decision.frontend))]
    case 'reject':
      return ownPacket(plan, packet, decision) === undefined ? ['rejected'] : [formatUnmatched(plan, packet, isMarked)]
    default:
      return [formatUnmatched(plan, packet, isMarked)]
  }
}

/**
 * Reports whether a Service without rules for its endpoints still marked the packet for masquerading. Only the claimants
 * with such a Service come into question.
 */
function isMasqueradedWithoutEndpoints({ plan, packet, decision, ends }: TracedPacket): boolean {
  if (!plan.kernel.features.endsAtUnservedNodePort || decision.kind !== 'unmatched') return false
  const isMarked = findClaimants(plan, packet).some(({ frontend }) =>
    frontend.kind === 'loadBalancer'
      ? !frontend.preservesClientIP
      : !frontend.preservesClientIP && firstClause(frontend, plan.node, packet).masquerade,
  )
  const areMasqueraded = ends.every(({ outcome }) => !('masqueraded' in outcome) || outcome.masqueraded)
  return isMarked && areMasqueraded
}

function forwardedPacket(
  plan: Plan,
  { origin, destination }: Packet,
  decision: Decision,
): readonly string[] | undefined {
  if (!plan.kernel.features.inputEntersServices || decision.kind !== 'reject') return undefined
  const isForwarded = origin !== 'node' && !isNodeAddress(plan.node, destination)
  return decision.frontend.kind === 'externalIP' && isForwarded ? ['unmatched'] : undefined
}

function ownPacket(plan: Plan, { origin, destination }: Packet, decision: Decision): readonly string[] | undefined {
  const { loadBalancersRejectedInServices, dropsInFilter } = plan.kernel.features
  if (decision.kind !== 'reject' && !(decision.kind === 'drop' && dropsInFilter)) return undefined
  const { frontend, reason } = decision
  const isExternal =
    frontend.kind === 'externalIP' || (frontend.kind === 'loadBalancer' && !loadBalancersRejectedInServices)
  const meetsFirewall = dropsInFilter && frontend.allowedSources !== undefined && reason !== 'noEndpoints'
  const leavesNode = origin === 'node' && !isNodeAddress(plan.node, destination)
  return isExternal && !meetsFirewall && leavesNode ? ['unmatched'] : undefined
}

function guardedLoopback(
  { localhostNodePorts, kernel }: Plan,
  { source, destination }: Packet,
  { kind: outcome }: Decision,
): readonly string[] | undefined {
  if (!localhostNodePorts || !kernel.features.localnetGuard) return undefined
  const isGuarded = isLoopback(destination) && !destination.includes(':') && !isLoopback(source)
  return outcome !== 'endpoints' && isGuarded ? ['dropped'] : undefined
}

function rejectedNodePort(
  plan: Plan,
  { destination, destinationPort, protocol }: Packet,
  { kind: outcome }: Decision,
): readonly string[] | undefined {
  if (outcome !== 'unmatched' || !isNodeAddress(plan.node, destination)) return undefined
  const nodePorts = plan.services
    .filter(({ id }) => id.protocol === protocol)
    .flatMap(({ frontends }) => frontends)
    .filter(({ kind, port }) => kind === 'nodePort' && port === destinationPort)
    .filter((frontend) => plan.kernel.features.dropsInFilter || blockingVerdictOf(frontend) === 'reject')
  const rejection = combineBlockingVerdicts(nodePorts)
  return rejection && [rejection]
}

/**
 * Computes the outcome of a packet in iptables mode if an endpoint has the address and port of a rejecting frontend.
 * Returns the notation of `formatDecision`, or undefined if no endpoint has such an address and port.
 *
 * The chains of the filter table see packets after DNAT. INPUT jumps to the load-balancer firewall, to accepted health
 * checks and to rejects of external frontends. FORWARD jumps to the firewall, to the accept rule for marked packets,
 * and to rejects of cluster IPs and external frontends. OUTPUT jumps to the firewall and to rejects of cluster IPs.
 */
export function computeRejectedOutcome(plan: Plan, packet: Packet, decision: Decision): readonly string[] | undefined {
  if (decision.kind !== 'endpoints') return undefined
  const rejections = decision.candidates.map((candidate) => refusalOf(plan, packet, decision, candidate))
  if (rejections.every((rejection) => rejection === undefined)) return undefined
  const texts = decision.candidates.flatMap(
    (candidate, place) => rejections[place] ?? formatDecision({ ...decision, candidates: [candidate] }),
  )
  return [...new Set(texts)].sort()
}

function refusalOf(
  plan: Plan,
  { origin }: Packet,
  { servicePort: { protocol } }: FrontendDecision,
  { endpoint: { ip, port }, masquerade }: EndpointCandidate,
): BlockingVerdict | undefined {
  const isOwn = isNodeAddress(plan.node, ip)
  const frontends = plan.services
    .filter(({ id }) => id.protocol === protocol)
    .flatMap((service) => service.frontends)
    .filter(
      (frontend) => frontend.port === port && (frontend.address === ip || (isOwn && frontend.kind === 'nodePort')),
    )
  const isHealthCheck = protocol === 'TCP' && plan.services.some((service) => service.healthCheckNodePort === port)
  if (!plan.kernel.features.dropsInFilter) {
    return findLegacyBlockingVerdict(frontends, { origin, isOwn, isHealthCheck, masquerade }, plan.kernel.features)
  }
  const firewall: BlockingVerdict | undefined = frontends.some(isGuarded) ? 'dropped' : undefined
  const clusterIP = blockingVerdictAt(frontends, ['clusterIP'])
  const external = blockingVerdictAt(frontends, ['externalIP', 'loadBalancer', 'nodePort'])
  const inInput = isHealthCheck ? undefined : external
  if (origin === 'node') return firewall ?? clusterIP ?? (isOwn ? inInput : undefined)
  if (isOwn) return firewall ?? inInput
  return firewall ?? (masquerade ? undefined : (clusterIP ?? external))
}

function isGuarded({ allowedSources, clauses }: Frontend): boolean {
  return allowedSources !== undefined && clauses.some(({ action }) => action.kind === 'pool')
}

function blockingVerdictAt(
  frontends: readonly Frontend[],
  kinds: readonly FrontendKind[],
): BlockingVerdict | undefined {
  return combineBlockingVerdicts(frontends.filter(({ kind }) => kinds.includes(kind)))
}

/** The facts about a packet after DNAT and about the endpoint that DNAT selected. */
interface Translated extends Pick<Packet, 'origin'> {
  /** Whether the endpoint has an address of the node. */
  readonly isOwn: boolean
  /** Whether the endpoint has the port of a health check. */
  readonly isHealthCheck: boolean
  readonly masquerade: boolean
}

/**
 * Returns the outcome of a packet to an endpoint in versions up to 1.24. `frontends` have the address and port of the
 * endpoint. Undefined if the packet is not rejected. In these versions, the filter table has no firewall chain, and its
 * rules reject but never drop. Up to 1.18, the chain for cluster IPs also rejects packets to load-balancer IPs, INPUT
 * jumps to that chain, and FORWARD does not jump to the rejects of other external frontends.
 */
function findLegacyBlockingVerdict(
  frontends: readonly Frontend[],
  { origin, isOwn, isHealthCheck, masquerade }: Translated,
  { healthChecksAccepted, inputEntersServices, loadBalancersRejectedInServices }: Features,
): BlockingVerdict | undefined {
  const inServices: readonly FrontendKind[] = loadBalancersRejectedInServices
    ? ['clusterIP', 'loadBalancer']
    : ['clusterIP']
  const rejecting = frontends.filter((frontend) => blockingVerdictOf(frontend) === 'reject')
  const services = rejecting.some(({ kind }) => inServices.includes(kind))
  const external = rejecting.some(({ kind }) => !inServices.includes(kind))
  const input = !(healthChecksAccepted && isHealthCheck) && ((inputEntersServices && services) || external)
  const forward = !masquerade && (services || (!inputEntersServices && external))
  const isRejected = origin === 'node' ? services || (isOwn && input) : isOwn ? input : forward
  return isRejected ? 'rejected' : undefined
}
