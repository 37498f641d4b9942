import type { EquivalentSources } from '@kube-rules/compiler/internal/dataplane/netfilter/equivalent-sources'
import type { KernelPacket } from '@kube-rules/compiler/internal/dataplane/netfilter/kernel-packet'
import {
  type Fraction,
  formatFraction,
  fractionToNumber,
  ONE_FRACTION,
} from '@kube-rules/compiler/internal/internal/fraction'
import { createLazyFieldAdder, createLazyGetter } from '@kube-rules/compiler/internal/internal/memo'
import type { Outcome } from '@kube-rules/types'
import {
  type Assumption,
  type PathBudget,
  type PathState,
  type PathStep,
  stepsOf,
} from '../dataplane/netfilter/path-state.js'
import { mergePathStates, withoutUnneededAssumptions } from './merge-paths.js'
import { findSharedSteps, type SharedSteps } from './shared-steps.js'
import { type CompletedPath, type TraceEnvironment, walkHooks } from './walk-hooks.js'

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
 * The work limits of a trace: the maximum numbers of matching rules, of forks by unknown conditions, and of paths that
 * fork by chance. They suffice for several thousand endpoints behind firewall rules of another program, and limit the
 * time and the memory of a trace.
 */
const EFFORT: PathBudget = { rules: 100_000, forks: 256, choices: 20_000 }

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
export function tracePaths(packet: KernelPacket, environment: TraceEnvironment): readonly TracePath[] {
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
  packet: KernelPacket & { readonly equivalents: EquivalentSources },
  environment: TraceEnvironment,
): readonly SharedPathEnd[] {
  return mergePathStates(endsOf(packet, environment), sharedKey).map((ended) => ({
    outcome: outcomeOf(ended),
    weight: ended.weight,
    assumptions: ended.assumptions,
    equivalents: ended.packet.equivalents ?? packet.equivalents,
    steps: () => stepsOf(ended),
  }))
}

function sharedKey(ended: CompletedPath): string {
  return `${outcomeKey(outcomeOf(ended))} ${ended.packet.equivalents?.id}`
}

function endsOf(packet: KernelPacket, environment: TraceEnvironment): readonly CompletedPath[] {
  const hook = packet.inInterface === '' ? 'OUTPUT' : 'PREROUTING'
  return walkHooks(
    hook,
    {
      weight: ONE_FRACTION,
      assumptions: [],
      packet,
      last: undefined,
      budget: { ...EFFORT, conditions: environment.conditions },
    },
    environment,
  )
}

/**
 * Merges paths and removes unneeded assumptions until nothing changes. Both are repeated, because one removal may make
 * further paths equal.
 */
function withoutDifference(branches: readonly EndedEquivalent[]): readonly EndedEquivalent[] {
  const merged = mergePathStates(branches, keyOf, standingForBoth)
  const withoutUnneeded = withoutUnneededAssumptions(merged, keyOf)
  return withoutUnneeded.length === merged.length ? merged : withoutDifference(withoutUnneeded)
}

function withOutcome(ended: CompletedPath): EndedEquivalent {
  const { weight, assumptions, packet, last, budget } = ended
  const outcome = outcomeOf(ended)
  return { weight, assumptions, packet, last, budget, outcome, key: outcomeKey(outcome) }
}

function keyOf({ key }: EndedEquivalent): string {
  return key
}

function standingForBoth(kept: EndedEquivalent, other: EndedEquivalent): EndedEquivalent {
  const sharedSteps = () =>
    findSharedSteps([stepsOf(kept), kept.sharedSteps?.()], [stepsOf(other), other.sharedSteps?.()])
  return { ...kept, sharedSteps: createLazyGetter(sharedSteps) }
}

const STEPS = { steps: (ended: PathState): readonly PathStep[] => stepsOf(ended) }
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
