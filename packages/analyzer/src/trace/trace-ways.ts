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

/** One of the ways a packet may take, and where it ends. Plain data: JSON holds all of it. */
export interface Way {
  readonly outcome: Outcome
  /**
   * How likely it is, given its assumptions, exactly: `1/3`, or `1`. Those of all ways that share their assumptions add up
   * to one.
   */
  readonly weight: string
  /** `weight` as a number, as near as a number comes. */
  readonly probability: number
  /** What cannot be told and makes a difference; empty where everything can be. */
  readonly assumptions: readonly Assumption[]
  /** The rules that applied, in order; of ways that end alike, those of the first. */
  readonly steps: readonly Step[]
  /** What the others have of `steps`; absent where no other way ends alike. */
  readonly inCommon?: StepsInCommon | undefined
}

/** Enough for some thousand endpoints behind the firewall of another program, and soon done. */
const EFFORT: Effort = { rules: 100_000, questions: 256 }

/** A way to its end that may stand for several; what those have in common takes their words to tell. */
interface EndedAlike extends Branch {
  readonly outcome: Outcome
  /** A text for each outcome. */
  readonly key: string
  readonly inCommon?: (() => StepsInCommon) | undefined
}

/** The ways of the first packet of a connection, one for each outcome and set of assumptions. */
export function traceWays(packet: KernelPacket, terrain: Terrain): readonly Way[] {
  return withoutDifference(endsOf(packet, terrain).map(withOutcome)).map(wayOf)
}

/** Where packets of several sources end, and which of them do. */
export interface SharedEnd {
  readonly outcome: Outcome
  readonly weight: Fraction
  readonly assumptions: readonly Assumption[]
  readonly alike: Alike
  /** The rules that applied on the first of the ways that end so. */
  readonly steps: () => readonly Step[]
}

/** The ends of packets that are alike but for their sources. */
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

/** Leaving out one assumption may make others idle, and branches alike. */
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

/** Its steps are told when they are first asked for. */
function wayOf(ended: EndedAlike): Way {
  const { outcome, weight, assumptions, inCommon } = ended
  const known = { outcome, weight: fractionText(weight), probability: fractionNumber(weight), assumptions }
  return inCommon === undefined ? withSteps(known, ended) : withStepsInCommon(known, ended)
}

function outcomeKey(outcome: Outcome): string {
  if (outcome.kind !== 'delivered') return JSON.stringify(outcome)
  return `${outcome.address} ${outcome.port} ${outcome.masqueraded}`
}
