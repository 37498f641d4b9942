import type { Alike } from '@kube-rules/compiler/internal/dataplane/netfilter/alike'
import {
  type Assumption,
  type Branch,
  type Effort,
  type Step,
  stepsOf,
} from '@kube-rules/compiler/internal/dataplane/netfilter/branch'
import type { KernelPacket } from '@kube-rules/compiler/internal/dataplane/netfilter/kernel-packet'
import { type Fraction, fractionNumber, fractionText, ONE } from '@kube-rules/compiler/internal/internal/fraction'
import { lazily, lazyFields } from '@kube-rules/compiler/internal/internal/memo'
import type { Outcome } from '@kube-rules/types'
import { withoutIdleAssumptions } from './idle-assumptions.js'
import { mergeBranches } from './merge-branches.js'
import { outcomeOf } from './outcome.js'
import { type StepsInCommon, stepsInCommon } from './steps-in-common.js'
import { type Ended, type Terrain, walk } from './walk.js'

/** A possible path of a packet, with its outcome. Plain data that survives a JSON round trip. */
export interface Way {
  readonly outcome: Outcome
  /**
   * The exact probability under its assumptions: `1/3`, or `1`. The probabilities of all paths with the same
   * assumptions have the sum one.
   */
  readonly weight: string
  /** The number nearest to `weight`. */
  readonly probability: number
  /** Unknown conditions that affect the result; empty if there are none. */
  readonly assumptions: readonly Assumption[]
  /** The matching rules, in order; of several paths with equal outcome, those of the first. */
  readonly steps: readonly Step[]
  /** The steps in common with further paths of equal outcome; absent if there are none. */
  readonly inCommon?: StepsInCommon | undefined
}

/** A budget for some thousand endpoints behind a foreign firewall that is still processed quickly. */
const EFFORT: Effort = { rules: 100_000, questions: 256 }

/**
 * A completed path that may represent several. Their common steps are computed on demand, because comparing formatted
 * steps is slow.
 */
interface EndedAlike extends Branch {
  readonly outcome: Outcome
  /** The outcome as text, unique per outcome. */
  readonly key: string
  readonly inCommon?: (() => StepsInCommon) | undefined
}

/** Traces the first packet of a connection; returns one path per outcome and set of assumptions. */
export function traceWays(packet: KernelPacket, terrain: Terrain): readonly Way[] {
  return withoutDifference(endsOf(packet, terrain).map(withOutcome)).map(wayOf)
}

/** A result of packets of several sources, with the sources that have it. */
export interface SharedEnd {
  readonly outcome: Outcome
  readonly weight: Fraction
  readonly assumptions: readonly Assumption[]
  readonly alike: Alike
  /** The matching rules on the first of the paths with this result. */
  readonly steps: () => readonly Step[]
}

/** Traces packets that differ only in their sources. */
export function traceShared(packet: KernelPacket & { readonly alike: Alike }, terrain: Terrain): readonly SharedEnd[] {
  return mergeBranches(endsOf(packet, terrain), sharedKey).map((ended) => ({
    outcome: outcomeOf(ended),
    weight: ended.weight,
    assumptions: ended.assumptions,
    alike: ended.packet.alike ?? packet.alike,
    steps: () => stepsOf(ended),
  }))
}

function sharedKey(ended: Ended): string {
  return `${outcomeKey(outcomeOf(ended))} ${ended.packet.alike?.id}`
}

function endsOf(packet: KernelPacket, terrain: Terrain): readonly Ended[] {
  const hook = packet.inInterface === '' ? 'OUTPUT' : 'PREROUTING'
  return walk(hook, { weight: ONE, assumptions: [], packet, last: undefined, effort: { ...EFFORT } }, terrain)
}

/** Removes assumptions and merges paths repeatedly, because one removal may enable further ones. */
function withoutDifference(branches: readonly EndedAlike[]): readonly EndedAlike[] {
  const merged = mergeBranches(branches, keyOf, standingForBoth)
  const left = withoutIdleAssumptions(merged, keyOf)
  return left.length === merged.length ? merged : withoutDifference(left)
}

function withOutcome(ended: Ended): EndedAlike {
  const { weight, assumptions, packet, last, effort } = ended
  const outcome = outcomeOf(ended)
  return { weight, assumptions, packet, last, effort, outcome, key: outcomeKey(outcome) }
}

function keyOf({ key }: EndedAlike): string {
  return key
}

function standingForBoth(kept: EndedAlike, other: EndedAlike): EndedAlike {
  const inCommon = () => stepsInCommon([stepsOf(kept), kept.inCommon?.()], [stepsOf(other), other.inCommon?.()])
  return { ...kept, inCommon: lazily(inCommon) }
}

const STEPS = { steps: (ended: EndedAlike): readonly Step[] => stepsOf(ended) }
const withSteps = lazyFields(STEPS)
const withStepsInCommon = lazyFields({ ...STEPS, inCommon: ({ inCommon }: EndedAlike) => inCommon?.() })

/** Creates a path with lazily computed steps. */
function wayOf(ended: EndedAlike): Way {
  const { outcome, weight, assumptions, inCommon } = ended
  const known = { outcome, weight: fractionText(weight), probability: fractionNumber(weight), assumptions }
  return inCommon === undefined ? withSteps(known, ended) : withStepsInCommon(known, ended)
}

function outcomeKey(outcome: Outcome): string {
  if (outcome.kind !== 'delivered') return JSON.stringify(outcome)
  return `${outcome.address} ${outcome.port} ${outcome.masqueraded}`
}
