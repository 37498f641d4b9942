import type { Outcome } from '@kube-rules/types'
import { type Assumption, type Branch, type Effort, type Step, stepsOf } from '../dataplane/netfilter/branch.js'
import type { KernelPacket } from '../dataplane/netfilter/kernel-packet.js'
import { type Fraction, ONE } from '../internal/fraction.js'
import { mergeBranches } from './merge-branches.js'
import { outcomeOf } from './outcome.js'
import { type Ended, type Terrain, walk } from './walk.js'

/** One of the ways a packet may take, and where it ends. */
export interface Way {
  readonly outcome: Outcome
  /** How likely it is, given its assumptions: those of all ways that share their assumptions add up to one. */
  readonly weight: Fraction
  /** What cannot be told and makes a difference; empty where everything can be. */
  readonly assumptions: readonly Assumption[]
  /** The rules that applied, in order; of ways that end alike, those of the first. */
  readonly steps: readonly Step[]
}

/** Enough for some thousand endpoints behind the firewall of another program, and soon done. */
const EFFORT: Effort = { rules: 100_000, questions: 256 }

/** The ways of the first packet of a connection, one for each outcome and set of assumptions. */
export function traceWays(packet: KernelPacket, terrain: Terrain): readonly Way[] {
  const hook = packet.inInterface === '' ? 'OUTPUT' : 'PREROUTING'
  const start: Branch = { weight: ONE, assumptions: [], packet, effort: { ...EFFORT } }
  return mergeBranches(walk(hook, start, terrain), outcomeKey).map((ended) => ({
    outcome: outcomeOf(ended),
    weight: ended.weight,
    assumptions: ended.assumptions,
    steps: stepsOf(ended),
  }))
}

function outcomeKey(ended: Ended): string {
  return JSON.stringify(outcomeOf(ended))
}
