import {
  add,
  type Fraction,
  fraction,
  fractionText,
  multiply,
  ONE,
  parseFraction,
} from '@kube-rules/compiler/internal/internal/fraction'
import { type Decision, decide } from '@kube-rules/compiler/internal/plan/decide'
import { DECISION_WORDS } from '@kube-rules/compiler/internal/plan/decision-text'
import type { Plan } from '@kube-rules/compiler/internal/plan/plan'
import type { CompiledMode } from '@kube-rules/compiler/internal/targets/modes'
import { isLoopback, joinHostPort, type Outcome, type Packet } from '@kube-rules/types'
import type { End, TracedPacket } from '../targets/explanation.js'
import { LIMITATIONS } from './limitations.js'

/** A mode and the plan that it carries out. */
export interface PlannedMode {
  readonly mode: CompiledMode
  readonly plan: Plan
}

/**
 * The limitations by which rules of a mode do otherwise with a packet than `wanted` says, by code; empty where they do that,
 * undefined where no limitation explains what they do.
 */
export function limitationsAt(
  { mode, plan }: PlannedMode,
  packet: Packet,
  ends: readonly End[],
  wanted?: Decision,
): readonly string[] | undefined {
  const decision = decide(plan, packet)
  const traced: TracedPacket = { plan, packet, decision, wanted: wanted ?? decision, ends }
  const [should, does] = [fateOfDecision(traced.wanted, passing(plan, packet)), fateOfEnds(traced)]
  const found = new Set<string>()
  for (const aspect of ['where', 'masquerade'] as const) {
    if (isSame(should, does, aspect)) continue
    const codes = Object.entries(LIMITATIONS[mode]).filter(([, explains]) => explains[aspect]?.(traced))
    if (codes.length === 0) return undefined
    for (const [code] of codes) found.add(code)
  }
  return [...found]
}

/** Whether two decisions come to the same for packets, whatever the reasons. */
export function isSameDecision(a: Decision, b: Decision): boolean {
  const [some, other] = [fateOfDecision(a), fateOfDecision(b)]
  return isSame(some, other, 'where') && isSame(some, other, 'masquerade')
}

/** What becomes of packets. */
interface Fate {
  /** How likely each end is. */
  readonly where: ReadonlyMap<string, string>
  /** Whether the source is hidden from each of them. */
  readonly masquerade: ReadonlyMap<string, string>
}

/** An end that only one of the two has says nothing of masquerading. */
function isSame({ where, masquerade }: Fate, other: Fate, aspect: keyof Fate): boolean {
  if (aspect === 'where')
    return where.size === other.where.size && [...where].every(([end, share]) => other.where.get(end) === share)
  return [...masquerade].every(([end, how]) => (other.masquerade.get(end) ?? how) === how)
}

interface Part {
  readonly end: string
  readonly weight: Fraction
  readonly masqueraded: string
}

function fateOfDecision(decision: Decision, passes = 'passes'): Fate {
  return fateOf(partsOfDecision(decision, ONE, passes))
}

function partsOfDecision(decision: Decision, whole: Fraction, passes = 'passes'): readonly Part[] {
  if (decision.outcome !== 'endpoints' && decision.outcome !== 'proxy') {
    const word = DECISION_WORDS[decision.outcome]
    return [{ end: word === 'passes' ? passes : word, weight: whole, masqueraded: 'no' }]
  }
  if (decision.candidates.length === 0) return [{ end: 'closed', weight: whole, masqueraded: 'no' }]
  return decision.candidates.map(({ endpoint, weight: { numerator, denominator }, masquerade }) => ({
    end: endpoint.text,
    weight: multiply(whole, fraction(numerator, denominator)),
    masqueraded: decision.outcome === 'proxy' ? 'by the process' : yesOrNo(masquerade),
  }))
}

/** What a process takes goes on to the endpoints among which it chooses. */
function fateOfEnds({ ends, decision }: TracedPacket): Fate {
  return fateOf(
    ends.flatMap(({ outcome, weight }): readonly Part[] => {
      const share = parseFraction(weight)
      if (outcome.kind === 'proxy' && decision.outcome === 'proxy') return partsOfDecision(decision, share)
      const masqueraded = yesOrNo('masqueraded' in outcome && outcome.masqueraded)
      const end = outcome.kind === 'delivered' ? joinHostPort(outcome.address, outcome.port) : endOf(outcome)
      return [{ end, weight: share, masqueraded }]
    }),
  )
}

function yesOrNo(is: boolean): string {
  return is ? 'yes' : 'no'
}

/** Where a packet goes that no rule leads elsewhere. */
function passing({ node }: Plan, { destination }: Packet): string {
  const isOwn = isLoopback(destination) || node.addresses.some(({ address }) => address === destination)
  return isOwn ? 'passes to the node' : 'passes'
}

function endOf(outcome: Outcome): string {
  return outcome.kind === 'passes' && outcome.to === 'node' ? 'passes to the node' : outcome.kind
}

function fateOf(parts: readonly Part[]): Fate {
  const shares = new Map<string, Fraction>()
  const masquerade = new Map<string, string>()
  for (const { end, weight, masqueraded } of parts) {
    const known = shares.get(end)
    shares.set(end, known === undefined ? weight : add(known, weight))
    masquerade.set(end, (masquerade.get(end) ?? masqueraded) === masqueraded ? masqueraded : 'both')
  }
  const texts = Array.from(shares, ([end, share]) => [end, fractionText(share)] as const)
  // A scheduler's choices, each sure by itself, may all come to one end.
  return { where: new Map(texts.length === 1 ? texts.map(([end]) => [end, '1']) : texts), masquerade }
}
