import type { NodeState } from '@kube-rules/compiler/internal/dataplane/node-state'
import { type Decision, decide } from '@kube-rules/compiler/internal/plan/decide'
import type { Packet } from '@kube-rules/types'
import { askedByPlan, placesOfPlan } from '../plan/asked-by-plan.js'
import { type PacketPlace, planAt } from '../plan/plan-at.js'
import { planDifferences } from '../plan/plan-differences.js'
import { type Surroundings, tracerOf } from '../trace/trace.js'
import { rememberedRanges } from './address-range.js'
import { type Comparison, compareSides, type Explain } from './compare-sides.js'
import { isSameDecision, limitationsAt, type PlannedMode } from './limitations-at.js'
import type { Side, Sides } from './side.js'
import { namedPlaces, partsOfState } from './state-parts.js'

export interface CompareOptions extends Pick<Surroundings, 'addresses'> {
  /** The destination addresses to compare. Default: all. */
  readonly destinations?: Iterable<string> | undefined
  /**
   * The modes and plans of both sides. Differences that follow from known limitations of the modes are left out and
   * counted (`declared`). This requires that each side matches its plan except for limitations of its mode, and that
   * the plans agree. Default: all differences are reported.
   */
  readonly declaredBy?: PlannedModes | undefined
}

export interface PlannedModes {
  readonly a: PlannedMode
  readonly b: PlannedMode
}

/**
 * Compares how two states of the same address family handle every packet, including probabilities.
 *
 * The result is exact: packets are divided into equivalence classes by the match criteria of both rulesets, and one
 * packet per class is traced through both. For session affinity, the timeout is compared, and packets of clients
 * without an affinity entry are traced.
 *
 * Throws if the states are of different families.
 */
export function compare(a: NodeState, b: NodeState, options: CompareOptions = {}): Comparison {
  if (a.family !== b.family) throw new TypeError(`a state of ${a.family} cannot be compared with one of ${b.family}`)
  const { addresses, destinations, declaredBy } = options
  const planned = declaredBy && { a: indexedByPlace(declaredBy.a), b: indexedByPlace(declaredBy.b) }
  const sides: Sides = {
    family: a.family,
    a: sideOf(a, options, planned?.a),
    b: sideOf(b, options, planned?.b),
    addresses,
    rangeOf: rememberedRanges(a.family),
  }
  const wanted = destinations && new Set(destinations)
  return compareSides(sides, ({ address }) => wanted?.has(address) !== false, planned && explainedBy(planned))
}

/** A mode and plan with an index for many packets. */
interface IndexedMode extends PlannedMode {
  /** Returns the part of the plan that is relevant to a packet. */
  readonly at: (place: PacketPlace) => PlannedMode
}

function indexedByPlace({ mode, plan }: PlannedMode): IndexedMode {
  const partOf = planAt(plan)
  return { mode, plan, at: (place) => ({ mode, plan: partOf(place) }) }
}

function sideOf(state: NodeState, { addresses }: CompareOptions, planned: IndexedMode | undefined): Side {
  const { trace, traceShared, knowledge } = tracerOf(state, { addresses })
  const places = namedPlaces(state)
  const side = { trace, traceShared, isLocal: knowledge.isLocal, places, parts: partsOfState(state) }
  if (planned === undefined) return side
  return {
    ...side,
    places: [...places, ...placesOfPlan(planned.plan)],
    alsoAsked: (destination, protocol, destinationPort) =>
      askedByPlan(planned.at({ destination, destinationPort }).plan, destination, protocol, destinationPort),
  }
}

/** Returns a function that explains a difference by different plans of the two modes, or by known limitations. */
function explainedBy({ a, b }: { readonly a: IndexedMode; readonly b: IndexedMode }): Explain {
  return (packet, onA, onB) => {
    const [hereA, hereB] = [a.at(packet), b.at(packet)]
    const [decidedA, decidedB] = [decide(hereA.plan, packet), decide(hereB.plan, packet)]
    const differing = planDifferences(packet, { ...hereA, decision: decidedA }, { ...hereB, decision: decidedB })
    if (differing.includes('contested')) return { a: [], b: [], both: differing }
    const isOneWanted = differing.length === 0
    // If a process decides, its plan describes its actual behavior, and the plan of the other mode describes the
    // expected one.
    const wantedOfA = isOneWanted && isProcess(a) && !isProcess(b) ? decidedB : decidedA
    const wantedOfB = isOneWanted && isProcess(b) && !isProcess(a) ? decidedA : decidedB
    if (isOneWanted && !isSameDecision(wantedOfA, wantedOfB)) return undefined
    const limitsOfA = limitationsAt(isProcess(a) ? a.at(placeOf(packet, wantedOfA)) : hereA, packet, onA, wantedOfA)
    const limitsOfB = limitationsAt(isProcess(b) ? b.at(placeOf(packet, wantedOfB)) : hereB, packet, onB, wantedOfB)
    if (limitsOfA === undefined || limitsOfB === undefined) return undefined
    return differing.length + limitsOfA.length + limitsOfB.length === 0
      ? undefined
      : { a: limitsOfA, b: limitsOfB, both: differing }
  }
}

/** Returns the packet with the expected service port, which may be missing there in the plan of another mode. */
function placeOf(packet: Packet, wanted: Decision): PacketPlace {
  return 'servicePort' in wanted ? { ...packet, servicePort: wanted.servicePort } : packet
}

function isProcess({ plan }: PlannedMode): boolean {
  return plan.connectionsTaken
}
