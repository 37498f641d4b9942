import { type Fraction, multiply } from '../../internal/fraction.js'
import type { Hook } from './hooks.js'
import type { KernelPacket } from './kernel-packet.js'

/** One of the ways a packet may take. Those that chance or missing knowledge part have their beginning in common. */
export interface Branch {
  /** How likely it is, given its assumptions. */
  readonly weight: Fraction
  readonly assumptions: readonly Assumption[]
  readonly packet: KernelPacket
  /** The last step; each leads to the one before. */
  readonly last?: LinkedStep | undefined
  readonly effort: Effort
}

/**
 * How much more may be done on all ways of a packet together. The one thing here that changes: ways may be many where
 * little can be told, and a dump may be made so that they are.
 */
export interface Effort {
  /** How many rules may be applied. */
  rules: number
  /** How often ways may part because something cannot be told. */
  questions: number
}

/** Something that cannot be told, and what this way takes it for. */
export interface Assumption {
  readonly what: string
  readonly holds: boolean
}

/** A rule that applied, or what else moved the packet on. */
export interface Step {
  readonly hook: Hook
  /** Who looked at the packet: `iptables nat`, `ipvs`. */
  readonly by: string
  /** Empty where there are no chains. */
  readonly chain: string
  /** The rule or virtual server as its tool spells it. */
  readonly text: string
  /** Of that what happens: a chain, `DNAT --to-destination 10.244.1.1:80`, a real server; empty for nothing. */
  readonly verdict: string
  /** The chain it leads to; empty for none. */
  readonly jumpsTo: string
  /** Of that what it changes of the packet: where it goes to, or where it comes from; empty for neither. */
  readonly changes: ChangedByStep
  /** Of that what is said to people; empty for nothing. */
  readonly comment: string
  /** Whose it is: the label its state gives it, empty for shared parts. */
  readonly owner: string
}

/** Which addresses of a packet a step changes. */
export type ChangedByStep = 'destination' | 'source' | ''

/** Tells a step. Its words cost more than the way itself, and are not always wanted. */
export type MakeStep = () => Step

export type LinkedStep = OneStep | Stretch

interface OneStep {
  readonly step: MakeStep
  readonly before?: LinkedStep | undefined
}

/** The steps that another way has behind `from`, up to `to`. */
interface Stretch {
  readonly from: LinkedStep | undefined
  readonly to: LinkedStep
  readonly before?: LinkedStep | undefined
}

/** How a packet leaves a station. */
export type Departure =
  | { readonly to: 'next' }
  /** It starts anew from OUTPUT, as if the node had made it. */
  | { readonly to: 'output' }
  | { readonly to: 'dropped' }
  | { readonly to: 'rejected'; readonly with: string }
  | { readonly to: 'unknown'; readonly reason: string }

/** A branch that a station has let go. */
export interface Departed extends Branch {
  readonly departure: Departure
}

/** Whoever looks at packets at one hook: a table of iptables, or ipvs. Lower priorities come first. */
export interface Station {
  readonly hook: Hook
  readonly priority: number
  visit(branch: Branch): readonly Departed[]
}

export const NEXT: Departure = { to: 'next' }
export const OUTPUT: Departure = { to: 'output' }
export const DROPPED: Departure = { to: 'dropped' }

// Written field by field: spreading objects of several shapes takes most of the time of a trace.

/** `to` is the packet behind the step; without it the packet is as it was. */
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

/** The same way if something of this probability happens. */
export function weighed({ weight, assumptions, packet, last, effort }: Branch, probability: Fraction): Branch {
  return { weight: multiply(weight, probability), assumptions, packet, last, effort }
}

export function assuming({ weight, assumptions, packet, last, effort }: Branch, what: string, holds: boolean): Branch {
  return { weight, assumptions: [...assumptions, { what, holds }], packet, last, effort }
}

/** `as` is the packet that is let go; without it the packet is as it was. */
export function depart(
  { weight, assumptions, packet, last, effort }: Branch,
  departure: Departure,
  as: KernelPacket = packet,
): Departed {
  return { weight, assumptions, packet: as, last, effort, departure }
}

/** The way of a branch that a station has let go. */
export function departedWay({ weight, assumptions, packet, last, effort }: Departed): Branch {
  return { weight, assumptions, packet, last, effort }
}

/** The last step of a way that goes on from `before` as another one does from `from` to `to`. */
export function stepsLike(
  from: LinkedStep | undefined,
  to: LinkedStep | undefined,
  before: LinkedStep | undefined,
): LinkedStep | undefined {
  return to === undefined || to === from ? before : { from, to, before }
}

/** In the order in which they were made. */
export function stepsOf({ last }: Branch): readonly Step[] {
  const steps: Step[] = []
  collectSteps(last, undefined, steps)
  return steps.reverse()
}

/** The last ones first. */
function collectSteps(last: LinkedStep | undefined, first: LinkedStep | undefined, steps: Step[]): void {
  for (let linked = last; linked !== undefined && linked !== first; linked = linked.before) {
    if ('step' in linked) steps.push(linked.step())
    else collectSteps(linked.to, linked.from, steps)
  }
}
