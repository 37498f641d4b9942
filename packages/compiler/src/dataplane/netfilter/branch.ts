import { type Fraction, multiply } from '../../internal/fraction.js'
import type { Hook } from './hooks.js'
import type { KernelPacket } from './kernel-packet.js'

/** The path state of a packet. Paths that fork by chance or by an unknown condition share their beginning. */
export interface Branch {
  /** The probability of the path, given its assumptions. */
  readonly weight: Fraction
  readonly assumptions: readonly Assumption[]
  readonly packet: KernelPacket
  /** The last step, linked to the preceding ones. */
  readonly last?: LinkedStep | undefined
  readonly effort: Effort
}

/**
 * The remaining work budget, shared by all paths of a packet. It is the only mutable object here. It limits the number
 * of paths, which may be large for unknown conditions or malicious dumps.
 */
export interface Effort {
  /** The remaining number of matching rules. */
  rules: number
  /** The remaining number of forks by unknown conditions. */
  questions: number
}

/** Something undetermined, and what this way takes it for. */
export interface Assumption {
  readonly what: string
  readonly holds: boolean
}

/** A matching rule, or another cause that moved the packet on. */
export interface Step {
  readonly hook: Hook
  /** The hook handler: `iptables nat`, `ipvs`. */
  readonly by: string
  /** The chain; empty if the subsystem has no chains. */
  readonly chain: string
  /** The rule or virtual server in the format of its tool. */
  readonly text: string
  /** The action in `text`: a chain, `DNAT --to-destination 10.244.1.1:80`, a real server; empty for none. */
  readonly verdict: string
  /** The chain that it jumps to; empty for none. */
  readonly jumpsTo: string
  /** The changed address: destination or source; empty for neither. */
  readonly changes: ChangedByStep
  /** The comment in `text`; empty for none. */
  readonly comment: string
  /** The owner according to the state; empty for shared parts. */
  readonly owner: string
}

/** The address of a packet that a step changes. */
export type ChangedByStep = 'destination' | 'source' | ''

/** Creates a step. Formatting its text costs more than the trace itself and is not always needed. */
export type MakeStep = () => Step

export type LinkedStep = OneStep | Stretch

interface OneStep {
  readonly step: MakeStep
  readonly before?: LinkedStep | undefined
}

/** The steps of another path after `from`, up to `to`. */
interface Stretch {
  readonly from: LinkedStep | undefined
  readonly to: LinkedStep
  readonly before?: LinkedStep | undefined
}

/** The verdict of a hook handler on a packet. */
export type Departure =
  | { readonly to: 'next' }
  /** The packet starts again at OUTPUT, like a locally generated one. */
  | { readonly to: 'output' }
  | { readonly to: 'dropped' }
  | { readonly to: 'rejected'; readonly with: string }
  | { readonly to: 'unknown'; readonly reason: string }

/** A path state with the verdict of a hook handler. */
export interface Departed extends Branch {
  readonly departure: Departure
}

/** A hook handler: an iptables table or ipvs at one hook. Lower priorities come first. */
export interface Station {
  readonly hook: Hook
  readonly priority: number
  visit(branch: Branch): readonly Departed[]
}

export const NEXT: Departure = { to: 'next' }
export const OUTPUT: Departure = { to: 'output' }
export const DROPPED: Departure = { to: 'dropped' }

// Fields are copied explicitly, because spreading objects of several shapes takes most of the time of a trace.

/** Appends a step. `to` is the packet after the step; default: unchanged. */
export function withStep(
  { weight, assumptions, packet, last, effort }: Branch,
  step: MakeStep,
  to: KernelPacket = packet,
): Branch {
  return { weight, assumptions, packet: to, last: { step, before: last }, effort }
}

export function withPacket({ weight, assumptions, last, effort }: Branch, packet: KernelPacket): Branch {
  return { weight, assumptions, packet, last, effort }
}

/** Multiplies the weight of a path by a probability. */
export function weighed({ weight, assumptions, packet, last, effort }: Branch, probability: Fraction): Branch {
  return { weight: multiply(weight, probability), assumptions, packet, last, effort }
}

export function assuming({ weight, assumptions, packet, last, effort }: Branch, what: string, holds: boolean): Branch {
  return { weight, assumptions: [...assumptions, { what, holds }], packet, last, effort }
}

/** Ends a visit with a verdict. `as` is the resulting packet; default: unchanged. */
export function depart(
  { weight, assumptions, packet, last, effort }: Branch,
  departure: Departure,
  as: KernelPacket = packet,
): Departed {
  return { weight, assumptions, packet: as, last, effort, departure }
}

/** Returns the path state without the verdict. */
export function departedWay({ weight, assumptions, packet, last, effort }: Departed): Branch {
  return { weight, assumptions, packet, last, effort }
}

/**
 * Returns the last step of a path that continues from `before` with the steps of another one between `from` and `to`.
 */
export function stepsLike(
  from: LinkedStep | undefined,
  to: LinkedStep | undefined,
  before: LinkedStep | undefined,
): LinkedStep | undefined {
  return to === undefined || to === from ? before : { from, to, before }
}

/** Returns the steps in chronological order. */
export function stepsOf({ last }: Branch): readonly Step[] {
  const steps: Step[] = []
  collectSteps(last, undefined, steps)
  return steps.reverse()
}

/** Collects steps, last one first. */
function collectSteps(last: LinkedStep | undefined, first: LinkedStep | undefined, steps: Step[]): void {
  for (let linked = last; linked !== undefined && linked !== first; linked = linked.before) {
    if ('step' in linked) steps.push(linked.step())
    else collectSteps(linked.to, linked.from, steps)
  }
}
