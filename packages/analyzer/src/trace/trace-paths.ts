import { type Fraction, formatFraction, fractionToNumber } from '@kube-rules/compiler/internal/internal/fraction'
import { createLazyFieldAdder, createLazyGetter } from '@kube-rules/compiler/internal/internal/memo'
import type { Outcome } from '@kube-rules/types'
import type { Assumption } from '../program/assumptions.js'
import type { EquivalentSources } from '../program/equivalent-sources.js'
import type { KernelPacket } from '../program/kernel-packet.js'
import { mergePathStates, withoutUnneededAssumptions } from '../program/merge-paths.js'
import { type PathState, startPath, stepsOfPath } from '../program/path-state.js'
import type { Program } from '../program/program.js'
import type { Budget, RunContext } from '../program/split-path.js'
import type { PathStep } from '../program/steps.js'
import { type CompletedPath, walkHooks } from '../program/walk-hooks.js'
import { findSharedSteps, type SharedSteps } from './shared-steps.js'

/** A possible path of a packet, with its outcome. Plain data that survives a JSON round trip. */
export interface TracePath {
  /** What happens to the packet on this path. */
  readonly outcome: Outcome
  /**
   * The exact probability under the assumptions of the path: `1/3`, or `1`. The probabilities of all paths with the
   * same assumptions add up to one.
   */
  readonly weight: string
  /** The number nearest to `weight`. */
  readonly probability: number
  /** Assumptions about unknown conditions that affect the outcome; empty if the outcome depends on no unknown condition. */
  readonly assumptions: readonly Assumption[]
  /** The matching rules, in order. If several paths have the same outcome, these are the rules of the first path. */
  readonly steps: readonly PathStep[]
  /**
   * The numbers of common steps at the start and at the end of all represented paths. Absent if the path represents
   * only itself.
   */
  readonly sharedSteps?: SharedSteps | undefined
}

/**
 * The work limits of a trace: the maximum numbers of matching rules and of forks by unknown conditions. They suffice
 * for several thousand endpoints behind firewall rules of another program, and limit the time and the memory of a trace.
 */
const EFFORT: Budget = { instructions: 100_000, forks: 256 }

/** The program and the facts of a node. */
export interface TraceEnvironment extends Pick<RunContext, 'facts' | 'conditions'> {
  readonly program: Program
}

/** A packet at its first hook, with the sources of further packets that are traced with it. */
export interface TracedPacket {
  readonly packet: KernelPacket
  readonly sources?: EquivalentSources | undefined
  /** The read set that records what the trace reads; absent if it is not recorded. */
  readonly reads?: RunContext['reads']
}

/**
 * A completed path that may represent several paths with the same outcome. Their common steps are computed on demand,
 * because comparing formatted steps is slow.
 */
interface EndedEquivalent extends PathState {
  readonly outcome: Outcome
  /** The outcome as text, unique per outcome. */
  readonly key: string
  readonly sharedSteps?: (() => SharedSteps) | undefined
}

/** Traces the first packet of a connection; returns one path per outcome and set of assumptions. */
export function tracePaths(packet: TracedPacket, environment: TraceEnvironment): readonly TracePath[] {
  const ends = endsOf(packet, environment)
  if (areDifferentDeliveries(ends)) return ends.map((ended) => pathOf(ended, outcomeOf(ended)))
  return withoutDifference(ends.map(withOutcome)).map((ended) => pathOf(ended, ended.outcome))
}

/**
 * Reports whether the paths certainly have different outcomes: they deliver the packet to different addresses, without
 * assumptions. This is the usual case for the endpoints of a Service.
 */
function areDifferentDeliveries(ends: readonly CompletedPath[]): boolean {
  const addresses = new Set<string>()
  for (const { end, packet, assumptions } of ends) {
    if (typeof end === 'object' || !isDelivery(packet) || assumptions.length > 0) return false
    addresses.add(packet.destination)
  }
  return addresses.size === ends.length
}

function isDelivery({ translatedBy }: KernelPacket): boolean {
  return translatedBy === 'dnat' || translatedBy === 'server'
}

/** A result of packets from several sources, with the sources that have this result. */
export interface SharedPathEnd {
  readonly outcome: Outcome
  readonly weight: Fraction
  readonly assumptions: readonly Assumption[]
  readonly equivalents: EquivalentSources
  /** The matching rules on the first of the paths with this result. */
  readonly steps: () => readonly PathStep[]
}

/** Traces packets that differ only in their sources. */
export function traceSharedPaths(
  packet: TracedPacket & { readonly sources: EquivalentSources },
  environment: TraceEnvironment,
): readonly SharedPathEnd[] {
  return mergePathStates(endsOf(packet, environment), sharedKey).map((ended) => ({
    outcome: outcomeOf(ended),
    weight: ended.weight,
    assumptions: ended.assumptions,
    equivalents: ended.sources ?? packet.sources,
    steps: () => stepsOfPath(ended),
  }))
}

function sharedKey(ended: CompletedPath): string {
  return `${outcomeKey(outcomeOf(ended))} ${ended.sources?.id}`
}

function endsOf(
  { packet, sources, reads }: TracedPacket,
  { program, facts, conditions }: TraceEnvironment,
): readonly CompletedPath[] {
  const hook = packet.inInterface === '' ? 'OUTPUT' : 'PREROUTING'
  const start = startPath({ packet, sources, assumptions: [] })
  return walkHooks(hook, start, { hooks: program.hooks, facts, conditions, reads, budget: { ...EFFORT } })
}

/**
 * Merges paths and removes unneeded assumptions until nothing changes. Both are repeated, because one removal may make
 * further paths equal.
 */
function withoutDifference(paths: readonly EndedEquivalent[]): readonly EndedEquivalent[] {
  const merged = mergePathStates(paths, keyOf, standingForBoth)
  const withoutUnneeded = withoutUnneededAssumptions(merged, keyOf)
  return withoutUnneeded.length === merged.length ? merged : withoutDifference(withoutUnneeded)
}

function withOutcome(ended: CompletedPath): EndedEquivalent {
  const { weight, assumptions, packet, last, leading, sources, destinations, order } = ended
  const outcome = outcomeOf(ended)
  return { weight, assumptions, packet, last, leading, sources, destinations, order, outcome, key: outcomeKey(outcome) }
}

function keyOf({ key }: EndedEquivalent): string {
  return key
}

function standingForBoth(kept: EndedEquivalent, other: EndedEquivalent): EndedEquivalent {
  const sharedSteps = () =>
    findSharedSteps([stepsOfPath(kept), kept.sharedSteps?.()], [stepsOfPath(other), other.sharedSteps?.()])
  return { ...kept, sharedSteps: createLazyGetter(sharedSteps) }
}

const STEPS = { steps: (ended: PathState): readonly PathStep[] => stepsOfPath(ended) }
const withSteps = createLazyFieldAdder(STEPS)
const withStepsInCommon = createLazyFieldAdder({
  ...STEPS,
  sharedSteps: ({ sharedSteps }: EndedEquivalent) => sharedSteps?.(),
})

/** Creates a path with lazily computed steps. */
function pathOf(ended: PathState & Pick<EndedEquivalent, 'sharedSteps'>, outcome: Outcome): TracePath {
  const { weight, assumptions, sharedSteps } = ended
  const facts = { outcome, weight: formatFraction(weight), probability: fractionToNumber(weight), assumptions }
  return sharedSteps === undefined ? withSteps(facts, ended) : withStepsInCommon(facts, ended)
}

function outcomeKey(outcome: Outcome): string {
  if (outcome.kind !== 'delivered') return JSON.stringify(outcome)
  return `${outcome.address} ${outcome.port} ${outcome.masqueraded}`
}

/** Returns the outcome of a completed path. */
function outcomeOf({ end, packet }: CompletedPath): Outcome {
  if (typeof end === 'object') return endedEarly(end)
  const { masqueraded, translatedBy, destination, destinationPort } = packet
  if (translatedBy === undefined) return { kind: 'unmatched', to: end, masqueraded }
  if (isDelivery(packet)) return { kind: 'delivered', address: destination, port: destinationPort, masqueraded }
  return { kind: 'proxy', port: destinationPort }
}

function endedEarly(end: Exclude<CompletedPath['end'], string>): Outcome {
  switch (end.kind) {
    case 'dropped':
      return { kind: 'dropped' }
    case 'rejected':
      return { kind: 'rejected', with: end.with }
    case 'unknown':
      return { kind: 'unknown', reason: end.reason }
  }
}
