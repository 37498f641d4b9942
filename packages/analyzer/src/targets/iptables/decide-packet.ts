import { createFraction } from '@kube-rules/compiler/internal/internal/fraction'
import { decide, firstClause, isNodeAddress } from '@kube-rules/compiler/internal/plan/decide'
import type { Plan } from '@kube-rules/compiler/internal/plan/plan'
import type { Packet } from '@kube-rules/types'
import { certainEnd, createDelivery, createUnmatchedOutcome } from '../../plan/ends-of-decision.js'
import type { ModeDecision, ModeEnd } from '../mode-decision.js'
import { combineDecisions, withEffectiveLimitations } from '../shared/effective-limitations.js'
import {
  createBlockedEnd,
  decideBlocked,
  destinationOf,
  type Endpoint,
  type PacketWalk,
} from '../shared/packet-walk.js'
import { findFilterVerdict, isDroppedAtLocalnet } from './filter-verdict.js'
import { countBypassedExternalIPs, type EndpointSelection, selectEndpoints } from './select-endpoints.js'

/**
 * Decides how iptables mode handles a packet: nat/KUBE-SERVICES selects an endpoint, and then the filter table sees the
 * rewritten destination. Each deviation from the decision of the plan has the code of a limitation.
 */
export function decideInIptablesMode(plan: Plan, packet: Packet): ModeDecision {
  const walk = { plan, packet, expected: decide(plan, packet) }
  const bypassed = countBypassedExternalIPs(plan, packet)
  return combineDecisions(bypassed.map((count) => withEffectiveLimitations(decideWith(walk, count), walk)))
}

function decideWith(walk: PacketWalk, bypassed: number): ModeDecision {
  const selection = selectEndpoints(walk.plan, walk.packet, bypassed)
  return selection.endpoints === undefined
    ? decideUntranslated(walk, selection)
    : decideTranslated(walk, selection, selection.endpoints)
}

function decideUntranslated(walk: PacketWalk, { markedFor, visited }: EndpointSelection): ModeDecision {
  const { plan, packet } = walk
  const at = destinationOf(packet)
  const isMarked = markedFor !== undefined
  const verdict = isDroppedAtLocalnet(plan, packet) ? 'dropped' : findFilterVerdict(plan, packet, { ...at, isMarked })
  if (verdict !== undefined) return decideBlocked(walk, verdict, nameVerdict(walk, visited.length > 1))
  const isOwn = isNodeAddress(plan.node, at.address)
  const isMasqueraded = isMarked && (packet.origin === 'node' || !isOwn)
  return {
    ends: [certainEnd(createUnmatchedOutcome(isOwn, isMasqueraded))],
    limitations: nameMissingVerdict(walk, isMasqueraded),
  }
}

/** Returns the limitations of a packet that is neither delivered nor blocked. */
function nameMissingVerdict({ plan, packet, expected }: PacketWalk, isMasqueraded: boolean): readonly string[] {
  const { features } = plan.kernel
  switch (expected.kind) {
    case 'drop':
      return [features.dropsInFilter ? 'ownPacketsNotRejected' : 'markedToDrop']
    case 'reject':
      return [packet.origin === 'node' ? 'ownPacketsNotRejected' : 'forwardedPacketsNotRejected']
    case 'endpoints':
      return ['bridgedExternalIPs']
    default:
      return isMasqueraded ? ['endsAtUnservedNodePort'] : []
  }
}

/** Returns the limitation that explains an unexpected verdict on a packet without an endpoint. */
function nameVerdict({ plan, packet, expected }: PacketWalk, isContested: boolean): string {
  if (isDroppedAtLocalnet(plan, packet)) return 'loopbackGuarded'
  if (expected.kind === 'endpoints') return 'bridgedExternalIPs'
  return isContested ? 'contested' : 'nodePortsRejectedEverywhere'
}

function decideTranslated(
  walk: PacketWalk,
  selection: EndpointSelection,
  endpoints: readonly Endpoint[],
): ModeDecision {
  const { plan, packet, expected } = walk
  const selecting = selection.visited.at(-1)
  const limitations = new Set<string>()
  const isExpected = expected.kind === 'endpoints' && expected.frontend === selecting?.frontend
  if (!isExpected) limitations.add(expected.kind === 'endpoints' ? 'bridgedExternalIPs' : 'contested')
  const isMarkedByPlan = selecting !== undefined && firstClause(selecting.frontend, plan.node, packet).masquerade
  const weight = createFraction(1, endpoints.length)
  const ends = endpoints.map((endpoint): ModeEnd => {
    const isHairpin = endpoint.ip === packet.source
    const isMarked = selection.markedFor !== undefined || isHairpin
    const verdict = findFilterVerdict(plan, packet, { address: endpoint.ip, port: endpoint.port, isMarked })
    if (verdict !== undefined) {
      limitations.add('endpointRejected')
      return { ...createBlockedEnd(plan, verdict), weight }
    }
    const isMasqueraded = isMarked && (packet.origin === 'node' || !isNodeAddress(plan.node, endpoint.ip))
    if (isMasqueraded && !isHairpin && !isMarkedByPlan) limitations.add(nameMark(walk, selection))
    return { outcome: createDelivery(endpoint, isMasqueraded), weight }
  })
  return { ends, limitations: [...limitations], servicePort: selecting?.servicePort }
}

/** Returns the limitation that explains unexpected masquerading. */
function nameMark({ plan }: PacketWalk, { markedFor, visited }: EndpointSelection): string {
  if (markedFor === undefined || markedFor === visited.at(-1)) return 'externalClusterIP'
  if (markedFor.frontend.kind === 'externalIP') return 'bridgedExternalIPs'
  const service = plan.services.find(({ id }) => id === markedFor.servicePort)
  return service?.unservedNodePort === undefined ? 'markedToDrop' : 'endsAtUnservedNodePort'
}
