import {
  type Decision,
  type EndpointCandidate,
  type FrontendDecision,
  isNodeAddress,
} from '@kube-rules/compiler/internal/plan/decide'
import { formatDecision } from '@kube-rules/compiler/internal/plan/format-decision'
import { blockingVerdictOf } from '@kube-rules/compiler/internal/plan/frontend'
import type { Frontend, FrontendKind, Plan } from '@kube-rules/compiler/internal/plan/plan'
import type { Packet } from '@kube-rules/types'
import { isLoopback } from '@kube-rules/types/internal/ip'
import type { LimitationPredicate, TracedPacket } from '../limitation-predicate.js'
import { type BlockingVerdict, combineBlockingVerdicts } from '../shared/blocking-verdict.js'
import { createLimitationPredicate } from '../shared/create-limitation-predicate.js'
import { findLegacyBlockingVerdict } from './legacy-blocking-verdict.js'

const UNMATCHED_IF_MARKED = createLimitationPredicate(({ plan, decision }) => markedPacket(plan, decision))

/** Predicates that select the packets affected by each limitation of iptables mode, by the outcome of the packet. */
export const LIMITATION_PREDICATES: Readonly<Record<string, LimitationPredicate>> = {
  markedToDrop: {
    ...UNMATCHED_IF_MARKED,
    masquerade: (traced) => isMasqueradedBeforeDrop(traced) || UNMATCHED_IF_MARKED.masquerade?.(traced) === true,
  },
  firstLoadBalancerIP: {},
  externalIPsIgnorePolicy: {},
  ownPacketsKeptLocal: {},
  bridgedExternalIPs: { where: isBesideExternalIP, masquerade: isBesideExternalIP },
  endsAtUnservedNodePort: { masquerade: ({ plan, decision }) => isEnded(plan, decision) },
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
  loopbackGuarded: createLimitationPredicate(({ plan, packet, decision }) => guardedLoopback(plan, packet, decision)),
}

function markedPacket({ kernel: { features } }: Plan, { kind: outcome }: Decision): readonly string[] | undefined {
  return outcome === 'drop' && !features.dropsInFilter ? ['unmatched'] : undefined
}

/** Reports whether the dropping frontend marked the packet for masquerading before another frontend delivers it. */
function isMasqueradedBeforeDrop({ plan, decision, expected, ends }: TracedPacket): boolean {
  if (decision.kind !== 'drop' || plan.kernel.features.dropsInFilter || expected.kind !== 'endpoints') return false
  const areMasqueraded = ends.every(({ outcome }) => outcome.kind !== 'delivered' || outcome.masqueraded)
  return decision.frontend.preservesClientIP !== true && areMasqueraded
}

/**
 * Reports whether the rules of an external IP may not match a packet, because the packet comes from the node, or from a
 * pod through a bridge.
 */
function isBesideExternalIP({ plan, packet, decision }: TracedPacket): boolean {
  if (!plan.kernel.features.externalIPsSpareBridges || decision.kind !== 'endpoints') return false
  return (
    decision.frontend.kind === 'externalIP' &&
    packet.origin !== 'outside' &&
    !isNodeAddress(plan.node, packet.destination)
  )
}

function isEnded({ kernel: { features } }: Plan, { kind: outcome }: Decision): boolean {
  return features.endsAtUnservedNodePort && outcome === 'unmatched'
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
  if (decision.kind !== 'reject' && decision.kind !== 'drop') return undefined
  const { frontend, reason } = decision
  const { loadBalancersRejectedInServices, dropsInFilter } = plan.kernel.features
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
