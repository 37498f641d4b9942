import { createLazyGetter } from '@kube-rules/compiler/internal/internal/memo'
import type { Decision } from '@kube-rules/compiler/internal/plan/decide'
import type { Packet } from '@kube-rules/types'
import { type Contender, createContestedAddressFilter, findContenders } from '../plan/contested-packets.js'
import { createPlanFilter } from '../plan/create-plan-filter.js'
import { endsOfDecision } from '../plan/ends-of-decision.js'
import type { ModePlan } from '../plan/mode-plan.js'
import { sumOutcomeWeights, toOutcomeRecord } from '../plan/outcome-distribution.js'
import { computePlanReadSet } from '../plan/plan-read-set.js'
import type { TracePath } from '../trace/trace-paths.js'
import type { AdditionalReadSetLookup, ContestedPackets, PacketResults, RandomChoice } from './comparison-side.js'
import { findExplainingLimitations } from './find-explaining-limitations.js'

/** The modes and plans of the compiled sides. */
export interface SidePlans {
  /** The first side. */
  readonly a?: ModePlan | undefined
  /** The second side. */
  readonly b?: ModePlan | undefined
}

/**
 * Returns the packets that are contested on one or both sides. If kube-proxy selects from the same service ports with
 * the same outcomes on both sides, the packets are contested before and after. If a side has no plan, such as a dump,
 * its outcome must be that of one of the service ports.
 */
export function createContestedPackets({ a, b }: SidePlans): ContestedPackets {
  const [claimsOfA, claimsOfB] = [a && indexClaims(a), b && indexClaims(b)]
  const claims = [claimsOfA, claimsOfB].flatMap((each) => each ?? [])
  return {
    has: (address) => claims.some((each) => each.has(address)),
    readSet: (destination, protocol, port) =>
      joinReadSets(claims.map((each) => each.readSet(destination, protocol, port))),
    compareRandomChoices: (packet, results) => {
      const contenders = { a: claimsOfA?.contendersFor(packet) ?? [], b: claimsOfB?.contendersFor(packet) ?? [] }
      const choices = { a: choicesOf(contenders.a, packet), b: choicesOf(contenders.b, packet) }
      if (choices.a.length + choices.b.length === 0) return undefined
      if (a && b) return { choices, equivalence: compareChoices(choices.a, choices.b, results) }
      const isPossible =
        results.equivalence === 'same' ||
        (a !== undefined && isOneOf(contenders.a, a, packet, results.b())) ||
        (b !== undefined && isOneOf(contenders.b, b, packet, results.a()))
      return { choices, equivalence: isPossible ? 'contested' : 'other' }
    },
  }
}

/** The claims of a plan to addresses and ports. */
interface Claims {
  readonly has: (address: string) => boolean
  readonly readSet: AdditionalReadSetLookup
  readonly contendersFor: (packet: Packet) => readonly Contender[]
}

function indexClaims({ mode, plan }: ModePlan): Claims {
  const has = createContestedAddressFilter(plan)
  const partOf = createLazyGetter(() => createPlanFilter(plan))
  return {
    has,
    readSet: (destination, protocol, destinationPort) =>
      computePlanReadSet(partOf()({ destination, destinationPort }), destination, protocol, destinationPort),
    contendersFor: (packet) =>
      has(packet.destination) ? findContenders({ mode, plan: partOf()(packet) }, packet) : [],
  }
}

/** Returns the choices of kube-proxy; empty if all of them have the same outcomes. */
function choicesOf(contenders: readonly Contender[], packet: Packet): readonly RandomChoice[] {
  const choices = contenders.map((contender) => choiceOf(contender, packet))
  const outcomes = new Set(choices.map(({ servicePort: _, ...choice }) => JSON.stringify(choice)))
  return outcomes.size < 2 ? [] : choices
}

function choiceOf({ servicePort, name, decision, plan }: Contender, packet: Packet): RandomChoice {
  const ends = endsOfDecision(withoutProxy(decision), plan, packet)
  const affinitySeconds = plan.services.find(({ id }) => id === servicePort)?.affinitySeconds
  return {
    servicePort: name,
    outcomes: toOutcomeRecord(sumOutcomeWeights(ends)),
    ...(affinitySeconds !== undefined && { affinitySeconds }),
  }
}

/** Returns the decision with the endpoints that the userspace proxy connects to in place of the proxy. */
function withoutProxy(decision: Decision): Decision {
  return decision.kind === 'proxy' && decision.candidates.length > 0 ? { ...decision, kind: 'endpoints' } : decision
}

function compareChoices(
  a: readonly RandomChoice[],
  b: readonly RandomChoice[],
  { equivalence }: PacketResults,
): 'contested' | 'other' | 'unknown' {
  if (JSON.stringify(a) !== JSON.stringify(b)) return 'other'
  return equivalence === 'same' ? 'contested' : 'unknown'
}

/** Reports whether the paths follow from the selection of one of the contenders. */
function isOneOf(
  contenders: readonly Contender[],
  { mode }: ModePlan,
  packet: Packet,
  paths: readonly TracePath[],
): boolean {
  return contenders.some(({ plan }) => findExplainingLimitations({ mode, plan }, packet, paths) !== undefined)
}

function joinReadSets(sets: readonly ReturnType<AdditionalReadSetLookup>[]): ReturnType<AdditionalReadSetLookup> {
  return { sources: sets.flatMap(({ sources }) => sources), interfaces: sets.flatMap(({ interfaces }) => interfaces) }
}
