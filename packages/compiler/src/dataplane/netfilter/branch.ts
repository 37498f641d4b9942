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
  /** Of that what is said to people; empty for nothing. */
  readonly comment: string
  /** Whose it is: the label its state gives it, empty for shared parts. */
  readonly owner: string
}

export interface LinkedStep {
  readonly step: Step
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
export const DROPPED: Departure = { to: 'dropped' }

export function withStep<B extends Branch>(branch: B, step: Step): B {
  return { ...branch, last: { step, before: branch.last } }
}

export function withPacket<B extends Branch>(branch: B, packet: KernelPacket): B {
  return { ...branch, packet }
}

/** The same way if something of this probability happens. */
export function weighed<B extends Branch>(branch: B, probability: Fraction): B {
  return { ...branch, weight: multiply(branch.weight, probability) }
}

export function assuming<B extends Branch>(branch: B, what: string, holds: boolean): B {
  return { ...branch, assumptions: [...branch.assumptions, { what, holds }] }
}

export function depart(branch: Branch, departure: Departure): Departed {
  return { ...branch, departure }
}

/** In the order in which they were made. */
export function stepsOf({ last }: Branch): readonly Step[] {
  const steps: Step[] = []
  for (let linked = last; linked !== undefined; linked = linked.before) steps.push(linked.step)
  return steps.reverse()
}
