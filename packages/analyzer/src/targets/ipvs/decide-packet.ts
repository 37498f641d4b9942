import { createFraction, ONE_FRACTION } from '@kube-rules/compiler/internal/internal/fraction'
import { type Decision, decide, type EndpointCandidate } from '@kube-rules/compiler/internal/plan/decide'
import type { Plan } from '@kube-rules/compiler/internal/plan/plan'
import type { Packet } from '@kube-rules/types'
import { certainEnd, createDelivery, createUnmatchedOutcome } from '../../plan/ends-of-decision.js'
import type { Assumption } from '../../program/assumptions.js'
import type { ModeDecision, ModeEnd } from '../mode-decision.js'
import type { BlockingVerdict } from '../shared/blocking-verdict.js'
import { withEffectiveLimitations } from '../shared/effective-limitations.js'
import {
  createBlockedEnd,
  decideBlocked,
  destinationOf,
  type Endpoint,
  type PacketWalk,
  type Place,
} from '../shared/packet-walk.js'
import { findInputVerdict, isDroppedInOutput } from './filter-verdict.js'
import { findVirtualServer, type VirtualServerOfPlan } from './find-virtual-server.js'
import { isLocal } from './local-addresses.js'
import { isHairpin, isMarked } from './masquerading.js'
import { nameBlock, nameMasquerading, nameSelection, nameUnmatched } from './name-limitation.js'

/**
 * Decides how ipvs mode handles a packet. A packet from outside or from a pod traverses nat/KUBE-SERVICES, the filters
 * of INPUT and the virtual server. A packet of the node traverses nat/KUBE-SERVICES and the virtual server. If it then
 * stays on the node, it traverses the filters of INPUT with the rewritten destination. Each deviation from the decision
 * of the plan has the code of a limitation.
 */
export function decideInIpvsMode(plan: Plan, packet: Packet): ModeDecision {
  const walk = { plan, packet, expected: decide(plan, packet) }
  return withEffectiveLimitations(decideWith(walk), walk)
}

function decideWith(walk: PacketWalk): ModeDecision {
  const { plan, packet } = walk
  const isToNode = isLocal(plan, packet.destination)
  const verdict =
    packet.origin !== 'node' && isToNode ? findInputVerdict(plan, packet, destinationOf(packet)) : undefined
  if (verdict !== undefined) return decideBlocked(walk, verdict, nameBlock(walk, verdict))
  const server = findVirtualServer(plan, packet)
  if (server === undefined) return decideWithoutServer(walk, isToNode)
  if (server.endpoints.length === 0) return decideBlocked(walk, 'rejected', nameBlock(walk, 'rejected'))
  return decideWithServer(walk, server)
}

/** Decides about a packet without a virtual server. Only packets that leave the node can be masqueraded. */
function decideWithoutServer(walk: PacketWalk, isToNode: boolean): ModeDecision {
  const { plan, packet } = walk
  const at = destinationOf(packet)
  const isOwn = packet.origin === 'node'
  const verdict = isOwn && isToNode ? findInputVerdict(plan, packet, at) : undefined
  if (verdict !== undefined) return decideBlocked(walk, verdict, nameBlock(walk, verdict))
  const isMasqueraded = (isMarked(plan, packet, at) || isHairpin(plan, packet, at)) && (isOwn || !isToNode)
  const outcome = createUnmatchedOutcome(isToNode, isMasqueraded)
  return { ends: [certainEnd(outcome)], limitations: nameUnmatched(walk, isToNode, isMasqueraded) }
}

function decideWithServer(walk: PacketWalk, { id, endpoints }: VirtualServerOfPlan): ModeDecision {
  const { plan, packet, expected } = walk
  // Schedulers other than rr and wrr depend on counts of connections or on clients, so any real server is possible.
  const isRoundRobin = ['', 'rr', 'wrr'].includes(plan.kernel.ipvs.scheduler)
  const weight = isRoundRobin ? createFraction(1, endpoints.length) : ONE_FRACTION
  const limitations = new Set<string>()
  const selection = nameSelection(walk, endpoints)
  if (selection !== undefined) limitations.add(selection)
  if (expected.kind === 'endpoints' && !isRoundRobin && endpoints.length > 1) limitations.add('schedulerChooses')
  const isMarkedAtFirst = isMarked(plan, packet, destinationOf(packet))
  const ends = endpoints.map((endpoint, index): ModeEnd => {
    const assumptions = isRoundRobin || endpoints.length === 1 ? [] : [createChoiceAssumption(plan, endpoint)]
    const { verdict, isMasqueraded } = decideAtRealServer(walk, endpoint, isMarkedAtFirst)
    if (verdict !== undefined) {
      limitations.add(isDroppedInOutput(plan, packet) ? 'fromLoadBalancerIP' : 'boundEndpoint')
      return { ...createBlockedEnd(plan, verdict), weight, assumptions }
    }
    const candidate = findCandidate(expected, endpoint, index)
    if (candidate !== undefined && candidate.masquerade !== isMasqueraded)
      limitations.add(nameMasquerading(walk, endpoint, isMasqueraded))
    return { outcome: createDelivery(endpoint, isMasqueraded), weight, assumptions }
  })
  return { ends, limitations: [...limitations], servicePort: id }
}

/** Returns the candidate with an endpoint. Usually, candidates and real servers have the same order. */
function findCandidate(expected: Decision, endpoint: Endpoint, index: number): EndpointCandidate | undefined {
  if (expected.kind !== 'endpoints') return undefined
  const candidate = expected.candidates[index]
  if (candidate?.endpoint === endpoint) return candidate
  return expected.candidates.find((each) => each.endpoint.text === endpoint.text)
}

interface RealServerResult {
  readonly verdict?: BlockingVerdict | undefined
  readonly isMasqueraded: boolean
}

/** Follows a packet that the virtual server sends to a real server. */
function decideAtRealServer({ plan, packet }: PacketWalk, endpoint: Endpoint, marked: boolean): RealServerResult {
  const at: Place = { address: endpoint.ip, port: endpoint.port }
  const isOwn = packet.origin === 'node'
  const staysOnNode = isLocal(plan, endpoint.ip)
  if (staysOnNode && !isOwn) return { isMasqueraded: false }
  if (isDroppedInOutput(plan, packet)) return { verdict: 'dropped', isMasqueraded: false }
  const verdict = staysOnNode ? findInputVerdict(plan, packet, at) : undefined
  // Packets of the node traverse nat/KUBE-SERVICES a second time, with the endpoint as destination.
  const isMarkedAgain = isOwn && !staysOnNode && isMarked(plan, packet, at)
  return { verdict, isMasqueraded: marked || isMarkedAgain || isHairpin(plan, packet, at) }
}

function createChoiceAssumption({ kernel }: Plan, { text }: Endpoint): Assumption {
  return { condition: `ipvs: ${kernel.ipvs.scheduler} chooses ${text}`, value: true }
}
