import {
  checkChoice,
  checkObject,
  checkOptionalCount,
  checkOptions,
  checkStringIterable,
} from '@kube-rules/compiler/internal/arguments/check-argument'
import { checkPlan } from '@kube-rules/compiler/internal/arguments/check-result'
import { checkSameFamily, checkState } from '@kube-rules/compiler/internal/arguments/check-state'
import type { NodeState } from '@kube-rules/compiler/internal/dataplane/node-state'
import { isDeepEqual } from '@kube-rules/compiler/internal/internal/plain-data'
import { type Decision, decide } from '@kube-rules/compiler/internal/plan/decide'
import { PROXY_MODES } from '@kube-rules/compiler/internal/targets/modes'
import type { Packet } from '@kube-rules/types'
import { createPlanFilter, type PacketFields } from '../plan/create-plan-filter.js'
import type { ModePlan } from '../plan/mode-plan.js'
import { findPlanDifferences } from '../plan/plan-differences.js'
import { computePlanReadSet, destinationsOfPlan } from '../plan/plan-read-set.js'
import { createAddressRangeParser } from '../program/address-range.js'
import { getTracer } from '../trace/trace.js'
import { checkTraceContext, type TraceContext } from '../trace/trace-context.js'
import { compareSides } from './compare-sides.js'
import type { Comparison } from './comparison.js'
import type { ComparisonSide, ComparisonSides } from './comparison-side.js'
import { createContestedPackets, type SidePlans } from './contested-sides.js'
import type { DifferenceExplainer } from './expected-differences.js'
import { areDecisionsEqual, findExplainingLimitations } from './find-explaining-limitations.js'
import { createOccupantLookup } from './occupants.js'
import { destinationsOfState, splitStateByOwner } from './state-partition.js'

/** Options of `compare`. */
export interface CompareOptions extends Pick<TraceContext, 'addresses'> {
  /** The destination addresses to compare. Default: all. */
  readonly destinations?: Iterable<string> | undefined
  /**
   * The modes and plans of both sides. With this option, differences that follow from known limitations of the modes
   * are excluded from `differences` and counted in `expected`. Requires that each side matches its plan except for
   * limitations of its mode, and that the plans agree. Default: all differences are reported.
   */
  readonly knownLimitationsOf?: ModePlans | undefined
  /**
   * The modes and plans of the compiled sides. With plans, `compare` finds the packets that several service ports claim.
   * kube-proxy selects one of these service ports at random. Such packets are a difference if the service ports or their
   * outcomes differ between the sides, else `contested`. Plans also show which addresses were in use on the first side
   * (`occupied`). Default: `knownLimitationsOf`.
   */
  readonly plans?: SidePlans | undefined
  /**
   * The maximum number of packet classes to trace. Destinations that need more classes are listed in `notCompared`, and so
   * are all destinations after four times as many differing classes. Default: 1,000,000, which takes some minutes.
   */
  readonly maxClasses?: number | undefined
}

/** The modes and plans of both sides. */
export interface ModePlans {
  /** The first side. */
  readonly a: ModePlan
  /** The second side. */
  readonly b: ModePlan
}

/**
 * Compares how two states of the same address family handle every packet, including probabilities.
 *
 * The result is exact: packets are divided into equivalence classes by the match criteria of both rulesets, and one
 * packet per class is traced through both rulesets. Without `addresses` of the node (see `traceContextFor`), it is
 * undetermined whether other addresses are local. For session affinity, the timeouts are compared. The traced packets
 * are from clients without an affinity entry.
 *
 * @throws DiagnosticsError with `invalidArgument` for states of different families.
 *
 * @example
 * ```ts
 * const [{ state }] = compile(input, { nodeName: 'node-1' }).families
 * const [other] = compile(input, { nodeName: 'node-1', mode: 'nftables' }).families
 * compare(state, state).equal // => true
 * compare(state, other.state).differences.length > 0 // => true
 * ```
 */
export function compare(a: NodeState, b: NodeState, options: CompareOptions = {}): Comparison {
  checkState('a', a)
  checkState('b', b)
  checkSameFamily('b', a, b)
  checkCompareOptions(options)
  const { addresses, destinations, knownLimitationsOf, plans = knownLimitationsOf ?? {}, maxClasses } = options
  const planned = knownLimitationsOf && {
    a: indexedByPlace(knownLimitationsOf.a),
    b: indexedByPlace(knownLimitationsOf.b),
  }
  const sides: ComparisonSides = {
    family: a.family,
    a: sideOf(a, options, planned?.a),
    b: sideOf(b, options, planned?.b),
    addresses,
    rangeOf: createAddressRangeParser(a.family),
    areSameState: () => isDeepEqual(a, b),
    contested: createContestedPackets(plans),
  }
  const expected =
    destinations === undefined
      ? undefined
      : new Set(checkStringIterable('destinations', destinations, 'an iterable of addresses'))
  return compareSides(
    sides,
    ({ address }) => expected?.has(address) !== false,
    planned && explainedBy(planned),
    maxClasses,
    createOccupantLookup(plans.a?.plan),
  )
}

function checkCompareOptions(options: CompareOptions): void {
  const types = {
    addresses: 'other',
    destinations: 'other',
    knownLimitationsOf: 'other',
    plans: 'other',
    maxClasses: 'other',
  } as const
  const fields = checkOptions<CompareOptions>(options, types)
  const { knownLimitationsOf, plans } = fields
  checkTraceContext('options', options)
  checkOptionalCount('options', fields, 'maxClasses')
  if (knownLimitationsOf !== undefined) checkPlans('knownLimitationsOf', knownLimitationsOf, ['a', 'b'])
  if (plans !== undefined) checkPlans('plans', plans, [])
}

/** Checks the modes and plans of the sides. Those in `required` must be present. */
function checkPlans(path: string, value: unknown, required: readonly string[]): void {
  const plans = checkObject('options', value, 'the modes and plans of both sides', path)
  for (const side of ['a', 'b']) {
    if (plans[side] === undefined && !required.includes(side)) continue
    const { mode, plan } = checkObject('options', plans[side], 'a mode with its plan', `${path}.${side}`)
    checkChoice('options', mode, PROXY_MODES, `${path}.${side}.mode`)
    checkPlan('options', plan, `${path}.${side}.plan`)
  }
}

/** A mode and its plan, indexed for decisions about many packets. */
interface IndexedMode extends ModePlan {
  /** Returns the part of the plan that is relevant to a packet. */
  readonly at: (place: PacketFields) => ModePlan
}

function indexedByPlace({ mode, plan }: ModePlan): IndexedMode {
  const partOf = createPlanFilter(plan)
  return { mode, plan, at: (place) => ({ mode, plan: partOf(place) }) }
}

function sideOf(state: NodeState, { addresses }: CompareOptions, planned: IndexedMode | undefined): ComparisonSide {
  const { trace, traceSharedPaths, facts } = getTracer(state, { addresses })
  const destinations = destinationsOfState(state)
  const side = { trace, traceSharedPaths, isLocal: facts.isLocal, destinations, parts: splitStateByOwner(state) }
  if (planned === undefined) return side
  return {
    ...side,
    destinations: [...destinations, ...destinationsOfPlan(planned.plan)],
    planReadSet: (destination, protocol, destinationPort) =>
      computePlanReadSet(planned.at({ destination, destinationPort }).plan, destination, protocol, destinationPort),
  }
}

/** Returns a function that explains a difference by different plans of the two modes, or by known limitations. */
function explainedBy({ a, b }: { readonly a: IndexedMode; readonly b: IndexedMode }): DifferenceExplainer {
  return (packet, onA, onB) => {
    const [hereA, hereB] = [a.at(packet), b.at(packet)]
    const [decidedA, decidedB] = [decide(hereA.plan, packet), decide(hereB.plan, packet)]
    const differing = findPlanDifferences(packet, { ...hereA, decision: decidedA }, { ...hereB, decision: decidedB })
    if (differing.includes('contested')) return { a: [], b: [], both: differing }
    const isOneExpected = differing.length === 0
    // If only one side is a userspace proxy, its own plan describes its actual behavior. Its expected behavior is the
    // decision of the plan of the other side.
    const expectedOfA = isOneExpected && isProcess(a) && !isProcess(b) ? decidedB : decidedA
    const expectedOfB = isOneExpected && isProcess(b) && !isProcess(a) ? decidedA : decidedB
    if (isOneExpected && !areDecisionsEqual(expectedOfA, expectedOfB, a.plan, packet)) return undefined
    const limitsOfA = findExplainingLimitations(
      isProcess(a) ? a.at(placeOf(packet, expectedOfA)) : hereA,
      packet,
      onA,
      expectedOfA,
    )
    const limitsOfB = findExplainingLimitations(
      isProcess(b) ? b.at(placeOf(packet, expectedOfB)) : hereB,
      packet,
      onB,
      expectedOfB,
    )
    if (limitsOfA === undefined || limitsOfB === undefined) return undefined
    return differing.length + limitsOfA.length + limitsOfB.length === 0
      ? undefined
      : { a: limitsOfA, b: limitsOfB, both: differing }
  }
}

/**
 * Returns the packet fields, with the service port of the expected decision if the decision has a service port. It is
 * needed because the plan of another mode may have none at the destination of the packet.
 */
function placeOf(packet: Packet, expected: Decision): PacketFields {
  return 'servicePort' in expected ? { ...packet, servicePort: expected.servicePort } : packet
}

function isProcess({ plan }: ModePlan): boolean {
  return plan.connectionsTaken
}
