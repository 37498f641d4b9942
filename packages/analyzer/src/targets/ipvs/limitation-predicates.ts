import { type Decision, decide, type EndpointCandidate, findClaimants } from '@kube-rules/compiler/internal/plan/decide'
import type { Plan } from '@kube-rules/compiler/internal/plan/plan'
import { isLoopback } from '@kube-rules/types/internal/ip'
import { createPlanOfClaimant } from '../../plan/create-plan-of-claimant.js'
import type { LimitationPredicate, TracedPacket, WeightedOutcome } from '../limitation-predicate.js'
import { findNodePortAddresses, isBound, isLocal } from './local-addresses.js'

/** Predicates that select the packets affected by each limitation of ipvs mode. */
export const LIMITATION_PREDICATES: Readonly<Record<string, LimitationPredicate>> = {
  noShortCircuit: { where: losesShortCircuit },
  localFallsBack: {
    where: (traced) =>
      traced.plan.kernel.features.localFallsBack && isForLocalOnly(traced) && isAny(traced, 'delivered'),
  },
  emptyVirtualServer: { where: (traced) => isWithoutEndpoints(traced) && !isAny(traced, 'delivered') },
  nodePortAddresses: { where: isOtherNodePort, masquerade: isOtherNodePort },
  zeroSourceRange: { where: (traced) => isAny(traced, 'dropped') && hasZeroRange(traced) },
  otherLoadBalancerIPs: { where: (traced) => isAny(traced, 'dropped') && isFromOtherLoadBalancerIP(traced) },
  externalIPRejected: { where: (traced) => isRejectedExternalIP(traced) && isAny(traced, 'rejected') },
  markedToDrop: {
    where: ({ plan, decision, ends }) =>
      plan.kernel.features.sourceRangesInNat && isOutsideRanges(decision) && !isAny({ ends }, 'dropped'),
  },
  sctpMasquerading: { masquerade: isSctpNodePort },
  otherPortsRejected: { where: isOtherPort },
  otherPortsReachNode: { where: reachesNode },
  healthChecksRejected: { where: (traced) => traced.decision.kind === 'healthCheck' && isAny(traced, 'rejected') },
  boundEndpoint: { where: isBoundEndpoint, masquerade: isBoundEndpoint },
  loopbackNotMasqueraded: { masquerade: ({ packet }) => isLoopback(packet.source) },
  ownPacketsNotMasqueraded: {
    masquerade: ({ decision }) => 'reason' in decision && decision.reason === 'nodeShortCircuit',
  },
  remoteHairpin: {
    masquerade: ({ packet, ...traced }) =>
      candidatesOf(traced).some(({ endpoint }) => endpoint.ip === packet.source && !endpoint.local),
  },
  fromClusterIP: {
    masquerade: ({ plan, packet }) => plan.node.localTrafficDetection === undefined && isBound(plan, packet.source),
  },
  ownPacketsNotLimited: {
    where: ({ plan, packet, decision, ends }) =>
      isOutsideRanges(decision) &&
      packet.origin === 'node' &&
      !(plan.kernel.features.ownPacketsFiltered && packet.source === packet.destination) &&
      // Forwarded packets are rejected if the node itself has the address of the endpoint.
      (isAny({ ends }, 'delivered') || isAny({ ends }, 'rejected')),
  },
  guardedAddress: { where: (traced) => isAny(traced, 'dropped') && isGuarded(traced) },
  sharedEntries: { where: isAcceptedByOtherRanges, masquerade: hasClaimantsOfBothPolicies },
  externalClusterIP: { masquerade: isExternalClusterIP },
  directHairpin: { masquerade: isToItself },
  schedulerChooses: { where: isScheduled },
  fromLoadBalancerIP: {
    where: ({ plan, packet, decision, ends }) =>
      decision.kind === 'endpoints' &&
      findClaimants(plan, packet).some(({ frontend }) => frontend.allowedSources?.includesThisNode === false) &&
      packet.source === packet.destination &&
      isAny({ ends }, 'dropped'),
  },
}

/** Reports whether another frontend at the destination has source ranges although the intended frontend has none. */
function isGuarded({ plan, packet, decision }: TracedPacket): boolean {
  if (decision.kind !== 'endpoints' || decision.frontend.allowedSources !== undefined) return false
  return plan.services.some(
    ({ id, frontends }) =>
      id.protocol === packet.protocol &&
      frontends.some(
        ({ address, port, allowedSources }) =>
          allowedSources !== undefined && address === packet.destination && port === packet.destinationPort,
      ),
  )
}

/** Reports whether frontends with policy Local and frontends with policy Cluster claim the destination. */
function hasClaimantsOfBothPolicies({ plan, packet }: TracedPacket): boolean {
  const policies = findClaimants(plan, packet).map(({ frontend }) => frontend.preservesClientIP === true)
  return policies.includes(true) && policies.includes(false)
}

/**
 * Reports whether a packet reaches the endpoints of the intended frontend although the source ranges of this frontend
 * exclude its source. The reason is another frontend at the destination, with source ranges that contain the source.
 */
function isAcceptedByOtherRanges({ plan, packet, decision, ends }: TracedPacket): boolean {
  if (decision.kind !== 'drop' || decision.reason !== 'sourceRange') return false
  const { servicePort, frontend } = decision
  const others = findClaimants(plan, packet).filter(({ frontend: { allowedSources } }) => allowedSources !== undefined)
  if (others.every((other) => isOutsideRanges(decide(createPlanOfClaimant(plan, other), packet)))) return false
  const unlimited = { servicePort, frontend: { ...frontend, allowedSources: undefined } }
  const candidates = candidatesOf({ decision: decide(createPlanOfClaimant(plan, unlimited), packet) })
  return ends.every(
    ({ outcome }) =>
      outcome.kind === 'delivered' &&
      candidates.some(({ endpoint: { ip, port } }) => ip === outcome.address && port === outcome.port),
  )
}

/** Reports whether a cluster IP and an external frontend have the address and port of a packet with endpoints. */
function isExternalClusterIP({ plan, packet, decision }: TracedPacket): boolean {
  if (decision.kind !== 'endpoints') return false
  const kinds = plan.services
    .filter(({ id }) => id.protocol === packet.protocol)
    .flatMap(({ frontends }) => frontends)
    .filter(({ address, port }) => address === packet.destination && port === packet.destinationPort)
    .map(({ kind }) => kind)
  return kinds.includes('clusterIP') && kinds.some((kind) => kind !== 'clusterIP')
}

function isToItself({ packet, plan, decision }: TracedPacket): boolean {
  return (
    decision.kind === 'unmatched' &&
    packet.source === packet.destination &&
    plan.services.some(({ localEndpoints }) =>
      localEndpoints.some(({ ip, port }) => ip === packet.source && port === packet.destinationPort),
    )
  )
}

function isScheduled({ plan, decision }: TracedPacket): boolean {
  return decision.kind === 'endpoints' && !['', 'rr'].includes(plan.kernel.ipvs.scheduler)
}

function isAny(
  { ends }: { readonly ends: readonly WeightedOutcome[] },
  kind: WeightedOutcome['outcome']['kind'],
): boolean {
  return ends.some(({ outcome }) => outcome.kind === kind)
}

function isOtherPort(traced: TracedPacket): boolean {
  const { plan, packet, decision } = traced
  if (decision.kind !== 'unmatched' || !isBound(plan, packet.destination)) return false
  const isHealthCheck = plan.services.some((service) => service.healthCheckNodePort === packet.destinationPort)
  return isAny(traced, 'rejected') || (isHealthCheck && isAny(traced, 'unmatched'))
}

/**
 * Reports whether an unmatched packet is delivered to the node because its destination, an address of a Service, is
 * bound to `kube-ipvs0`.
 */
function reachesNode({ plan, packet, decision, ends }: TracedPacket): boolean {
  const isPassed = decision.kind === 'unmatched' && isAny({ ends }, 'unmatched')
  return isPassed && !plan.kernel.features.accessFilter && isBound(plan, packet.destination)
}

function isOutsideRanges(decision: Decision): boolean {
  return decision.kind === 'drop' && decision.reason === 'sourceRange'
}

function isRejectedExternalIP({ plan, decision }: TracedPacket): boolean {
  const { accessFilter, accessToLocalExternalIPs } = plan.kernel.features
  if (!('frontend' in decision) || !accessFilter || accessToLocalExternalIPs) return false
  return decision.frontend.kind === 'externalIP' && decision.frontend.preservesClientIP === true
}

function isSctpNodePort({ plan, packet, decision }: TracedPacket): boolean {
  if (decision.kind !== 'endpoints' || plan.kernel.features.localSctpNodePortsReturn) return false
  return packet.protocol === 'SCTP' && decision.frontend.kind === 'nodePort'
}

function isWithoutEndpoints({ decision }: TracedPacket): boolean {
  return 'reason' in decision && (decision.reason === 'noEndpoints' || decision.reason === 'noLocalEndpoints')
}

/**
 * Reports whether the rules apply policy Local to a packet from inside the cluster that should bypass this policy. The
 * packet may then be lost if no endpoint is on the node.
 */
function losesShortCircuit(traced: TracedPacket): boolean {
  return isShortCircuit(traced) && isKeptLocal(traced)
}

/**
 * Reports whether a packet reaches only endpoints on the node. If no endpoint is local, reports whether it reaches no
 * endpoint or, with the feature `localFallsBack`, endpoints on any node.
 */
function isKeptLocal({ plan, decision, ends }: TracedPacket): boolean {
  const { localFallsBack } = plan.kernel.features
  const service = plan.services.find(
    ({ id }) =>
      'servicePort' in decision &&
      id.text === decision.servicePort.text &&
      id.protocol === decision.servicePort.protocol,
  )
  if (service === undefined) return false
  const { local, cluster } = service.pools
  const servers = local.length === 0 && localFallsBack ? cluster : local
  const delivered = ends.flatMap(({ outcome }) => (outcome.kind === 'delivered' ? outcome : []))
  if (delivered.length === 0) return !localFallsBack
  return delivered.every(({ address, port }) => servers.some((each) => each.ip === address && each.port === port))
}

function isShortCircuit({ decision }: TracedPacket): boolean {
  return 'reason' in decision && (decision.reason === 'podShortCircuit' || decision.reason === 'nodeShortCircuit')
}

function isForLocalOnly({ decision }: TracedPacket): boolean {
  return decision.kind === 'drop' && decision.reason === 'noLocalEndpoints'
}

/** Reports whether the destination is a node port at an address of the node that does not serve node ports. */
function isOtherNodePort({ plan, packet }: TracedPacket): boolean {
  if (hasNodePortServers(plan, packet.destination)) return false
  return (
    isLocal(plan, packet.destination) &&
    plan.services.some(
      ({ id, frontends }) =>
        id.protocol === packet.protocol &&
        frontends.some(({ kind, port }) => kind === 'nodePort' && port === packet.destinationPort),
    )
  )
}

/**
 * Reports whether the node has virtual servers for node ports at an address. Addresses of Services do not count,
 * because the rules that filter packets treat them differently.
 */
function hasNodePortServers(plan: Plan, address: string): boolean {
  if (plan.services.some(({ frontends }) => frontends.some((each) => each.address === address))) return false
  return findNodePortAddresses(plan).includes(address)
}

function hasZeroRange({ decision }: TracedPacket): boolean {
  const ranges = ('frontend' in decision && decision.frontend.allowedSources?.ranges) || []
  return ranges.some(({ prefixLength }) => prefixLength === 0)
}

function isFromOtherLoadBalancerIP({ plan, packet, decision }: TracedPacket): boolean {
  if (!('servicePort' in decision) || packet.source === packet.destination) return false
  const service = plan.services.find(({ id }) => id.text === decision.servicePort.text)
  return service?.frontends.some(({ kind, address }) => kind === 'loadBalancer' && address === packet.source) === true
}

function isBoundEndpoint({ plan, decision }: TracedPacket): boolean {
  return candidatesOf({ decision }).some(({ endpoint }) => isBound(plan, endpoint.ip))
}

function candidatesOf({ decision }: Pick<TracedPacket, 'decision'>): readonly EndpointCandidate[] {
  return decision.kind === 'endpoints' ? decision.candidates : []
}
