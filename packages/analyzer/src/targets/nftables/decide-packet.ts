import { createFraction } from '@kube-rules/compiler/internal/internal/fraction'
import {
  type Claimant,
  decide,
  findClaimants,
  firstClause,
  isFromPod,
  isNodeAddress,
} from '@kube-rules/compiler/internal/plan/decide'
import { isServed } from '@kube-rules/compiler/internal/plan/frontend'
import type { Plan } from '@kube-rules/compiler/internal/plan/plan'
import { hasLowerPrecedence } from '@kube-rules/compiler/internal/plan/precedence'
import type { Packet } from '@kube-rules/types'
import { certainEnd, createDelivery, createUnmatchedOutcome } from '../../plan/ends-of-decision.js'
import type { ModeDecision, ModeEnd } from '../mode-decision.js'
import { withEffectiveLimitations } from '../shared/effective-limitations.js'
import {
  createBlockedEnd,
  decideBlocked,
  destinationOf,
  type Endpoint,
  type PacketWalk,
} from '../shared/packet-walk.js'
import { findEarlyVerdict, findLateVerdict, isClusterIP } from './filter-verdict.js'

/**
 * Decides how nftables mode handles a packet. Incoming and locally generated packets first traverse filter chains with
 * their original destination. The chain `services` selects an endpoint, and other filter chains then see the rewritten
 * destination. Each deviation from the decision of the plan has the code of a limitation.
 */
export function decideInNftablesMode(plan: Plan, packet: Packet): ModeDecision {
  const walk = { plan, packet, expected: decide(plan, packet) }
  const early = findEarlyVerdict(plan, packet)
  const decision =
    early === undefined
      ? decideAtServices(walk)
      : decideBlocked(walk, early.verdict, nameEarlyVerdict(walk, early.isFirewall))
  return withEffectiveLimitations(decision, walk)
}

/** Returns the limitation that explains why a packet is blocked before DNAT. */
function nameEarlyVerdict({ plan, packet, expected }: PacketWalk, isFirewall: boolean): string {
  if (isFirewall && expected.kind === 'reject') return 'guardedWithoutEndpoints'
  if (isFirewall) {
    const isAllowed = 'frontend' in expected && expected.frontend.allowedSources !== undefined
    return isAllowed ? 'otherLoadBalancerIPs' : 'guardedAddress'
  }
  if (expected.kind !== 'endpoints') return 'ownPacketsRejected'
  const { address, clauses } = expected.frontend
  const isAtNodePort = plan.kernel.features.alphaTable && isNodeAddress(plan.node, packet.destination)
  const isOwnVerdict = (isAtNodePort || address !== undefined) && clauses.at(-1)?.action.kind === 'drop'
  return isOwnVerdict ? 'ownPacketsNotShortCircuited' : 'ownPacketsRejected'
}

function decideAtServices(walk: PacketWalk): ModeDecision {
  const { plan, packet } = walk
  const claimant = selectServedClaimant(plan, packet)
  const service = plan.services.find(({ id }) => id === claimant?.servicePort)
  if (claimant === undefined || service === undefined) return decideUntranslated(walk)
  const { masquerade, action } = firstClause(claimant.frontend, plan.node, packet)
  if (action.kind !== 'pool') return decideUntranslated(walk)
  return decideTranslated(walk, { claimant, endpoints: service.pools[action.pool], masquerade })
}

/** Returns the frontend in the maps of `services`. They contain only frontends that can reach an endpoint. */
function selectServedClaimant(plan: Plan, packet: Packet): Claimant | undefined {
  const served = findClaimants(plan, packet).filter(({ frontend }) => isServed(frontend))
  return served.find(({ frontend }) => !hasLowerPrecedence(frontend)) ?? served[0]
}

function decideUntranslated(walk: PacketWalk): ModeDecision {
  const { plan, packet, expected } = walk
  const at = destinationOf(packet)
  const verdict = findLateVerdict(plan, packet, at)
  if (verdict !== undefined) {
    const isAtClusterIP = isClusterIP(plan, at.address)
    return decideBlocked(walk, verdict, isAtClusterIP ? 'otherPortsRejected' : 'unallocatedDropped')
  }
  const isOwn = isNodeAddress(plan.node, at.address)
  const isMasqueraded = isMarkedAsClusterIP(plan, packet) && (packet.origin === 'node' || !isOwn)
  const isExpected = expected.kind === 'unmatched' || expected.kind === 'healthCheck'
  return {
    ends: [certainEnd(createUnmatchedOutcome(isOwn, isMasqueraded))],
    limitations: isExpected ? [] : ['sourceRangesUnchecked'],
  }
}

interface SelectedEndpoints {
  readonly claimant: Claimant
  readonly endpoints: readonly Endpoint[]
  readonly masquerade: boolean
}

function decideTranslated(walk: PacketWalk, selected: SelectedEndpoints): ModeDecision {
  const { plan, packet, expected } = walk
  const { claimant, endpoints, masquerade } = selected
  const isExpected = expected.kind === 'endpoints' && expected.frontend === claimant.frontend
  const isUnchecked = expected.kind === 'drop' && expected.frontend === claimant.frontend
  const limitations = new Set(isExpected ? [] : [isUnchecked ? 'sourceRangesUnchecked' : 'contested'])
  const weight = createFraction(1, endpoints.length)
  const isMarked = masquerade || isMarkedAsClusterIP(plan, packet) || isMarkedInPoolChain(plan, packet, claimant)
  const ends = endpoints.map((endpoint, index): ModeEnd => {
    const verdict = findLateVerdict(plan, packet, { address: endpoint.ip, port: endpoint.port })
    if (verdict !== undefined) {
      limitations.add('endpointRejected')
      return { ...createBlockedEnd(plan, verdict), weight }
    }
    const staysOnNode = packet.origin !== 'node' && isNodeAddress(plan.node, endpoint.ip)
    const isMasqueraded = !staysOnNode && (isMarked || isHairpin(plan, packet, endpoint))
    const isMasqueradedByPlan = isExpected ? expected.candidates[index]?.masquerade : isMasqueraded
    if (isMasqueraded !== isMasqueradedByPlan) limitations.add(isMasqueraded ? 'externalClusterIP' : 'remoteHairpin')
    return { outcome: createDelivery(endpoint, isMasqueraded), weight }
  })
  return { ends, limitations: [...limitations], servicePort: claimant.servicePort }
}

/** Reports whether the rule that masquerades packets to all ports of cluster IPs applies to a packet. */
function isMarkedAsClusterIP(plan: Plan, packet: Packet): boolean {
  const { clusterIPMasquerade: policy, kernel, node } = plan
  if (!kernel.features.squashedEndpoints || policy === 'none' || !isClusterIP(plan, packet.destination)) return false
  return policy === 'all' || !isFromPod(node.localTrafficDetection, packet)
}

/**
 * Reports whether the chain of a pool masquerades a packet to an external frontend as a packet to the cluster IP of the
 * same service port, because both have the same address and use the same pool. Since 1.36, service ports have no such
 * chains.
 */
function isMarkedInPoolChain(plan: Plan, packet: Packet, { servicePort, frontend }: Claimant): boolean {
  if (plan.kernel.features.squashedEndpoints || frontend.kind === 'nodePort') return false
  const clusterIP = plan.services
    .find(({ id }) => id === servicePort)
    ?.frontends.find((each) => each.kind === 'clusterIP' && each.address === packet.destination)
  if (clusterIP === undefined) return false
  const { action } = firstClause(frontend, plan.node, packet)
  const { action: ofClusterIP, masquerade } = firstClause(clusterIP, plan.node, packet)
  return masquerade && action.kind === 'pool' && ofClusterIP.kind === 'pool' && action.pool === ofClusterIP.pool
}

/**
 * Reports whether a packet from an endpoint to itself is masqueraded. From 1.36 on, only those of this node are, and only
 * after DNAT: the kernel ignores DNAT to the destination that the packet already has.
 */
function isHairpin({ services, kernel }: Plan, packet: Packet, endpoint: Endpoint): boolean {
  const { source, protocol, destination, destinationPort } = packet
  if (endpoint.ip !== source) return false
  if (!kernel.features.squashedEndpoints) return true
  if (endpoint.ip === destination && endpoint.port === destinationPort) return false
  return services.some(
    ({ id, reachable }) =>
      id.protocol === protocol &&
      reachable.some(({ ip, port, local }) => local && ip === endpoint.ip && port === endpoint.port),
  )
}
