import type { Hook } from '@kube-rules/compiler/internal/dataplane/netfilter/hooks'
import type { KernelPacket } from '@kube-rules/compiler/internal/dataplane/netfilter/kernel-packet'
import { type Fraction, multiplyFractions } from '@kube-rules/compiler/internal/internal/fraction'
import { enableMemo } from '@kube-rules/compiler/internal/internal/memo'

/** The state of a packet on one path. Paths that fork by chance or by an unknown condition share their earlier steps. */
export interface PathState {
  /** The probability of the path if its assumptions are true. */
  readonly weight: Fraction
  readonly assumptions: readonly Assumption[]
  readonly packet: KernelPacket
  /** The last step, linked to the preceding steps. */
  readonly last?: LinkedStep | undefined
  readonly budget: PathBudget
}

/**
 * The remaining work budget, shared by all paths of a packet. The budget limits the number of paths, which can become
 * very large because of unknown conditions or malicious dumps. The budget is the only mutable part of a path state.
 */
export interface PathBudget {
  /** The number of further rules that may match, on all paths together. */
  rules: number
  /** The number of times that the paths may still fork because of unknown conditions. */
  forks: number
  /** The number of further paths that may fork by chance. */
  choices: number
  /** The table of conditions that all packets traced through one state share; absent if packets share no conditions. */
  readonly conditions?: ConditionTable | undefined
}

/**
 * A table of the conditions of rules that cannot be evaluated. With the table, each condition is numbered and formatted
 * only once.
 */
export interface ConditionTable {
  readonly numbers: Map<string, number>
  /**
   * The texts of joined conditions (one of several cases applies). The key lists the numbers of the conditions of each
   * case.
   */
  readonly joined: Map<string, string>
  /** The rules of each joined condition, by the text of the condition: the number of rules, and the first rules. */
  readonly rules: Map<string, { readonly count: number; readonly first: readonly string[] }>
}

export function createConditionTable(): ConditionTable {
  return enableMemo({ numbers: new Map(), joined: new Map(), rules: new Map() })
}

/** An unknown condition, with the value that a path assumes. */
export interface Assumption {
  readonly condition: string
  readonly value: boolean
}

/** A step on the path of a packet: a matching rule, or another cause that moved the packet on. */
export interface PathStep {
  /** The hook at which the step happens. */
  readonly hook: Hook
  /** The name of the hook handler, such as `iptables nat` or `ipvs`. */
  readonly table: string
  /** The chain; empty if the subsystem has no chains. */
  readonly chain: string
  /** The rule or virtual server in the format of its tool. */
  readonly text: string
  /**
   * The action in `text`: a chain, `DNAT --to-destination 10.244.1.1:80`, or a real server; empty if the step has no
   * action.
   */
  readonly target: string
  /** The chain that the step jumps to; empty if there is no jump. */
  readonly jumpsTo: string
  /** The address that the step changes; absent if the step changes no address. */
  readonly rewrites?: TranslatedField | undefined
  /** The comment in `text`; empty without a comment. */
  readonly comment: string
  /** The owner of the rule according to the state; empty for shared rules. */
  readonly servicePort: string
}

/** The address of a packet that a step changes. */
export type TranslatedField = 'destination' | 'source'

/** Creates a step on demand. Formatting the rule takes longer than tracing, and not every step is needed. */
export type StepFactory = () => PathStep

export type LinkedStep = OneStep | Stretch

interface OneStep {
  readonly step: StepFactory
  readonly previous?: LinkedStep | undefined
}

/** The steps of another path that this path reuses: the steps after `from`, up to and including `to`. */
interface Stretch {
  readonly from: LinkedStep | undefined
  readonly to: LinkedStep
  readonly previous?: LinkedStep | undefined
}

/** The verdict of a hook handler on a packet. */
export type HookVerdict =
  | { readonly kind: 'next' }
  /** The packet is traced again from OUTPUT, like a locally generated packet. */
  | { readonly kind: 'output' }
  | { readonly kind: 'dropped' }
  | { readonly kind: 'rejected'; readonly with: string }
  | { readonly kind: 'unknown'; readonly reason: string }

/** A path state with the verdict of a hook handler. */
export interface HandlerResult extends PathState {
  readonly verdict: HookVerdict
}

/** A hook handler: an iptables table or ipvs at one hook. Handlers with lower priorities come first. */
export interface HookHandler {
  readonly hook: Hook
  readonly priority: number
  visit(branch: PathState): readonly HandlerResult[]
}

export const NEXT_VERDICT: HookVerdict = { kind: 'next' }
export const OUTPUT_VERDICT: HookVerdict = { kind: 'output' }
export const DROPPED_VERDICT: HookVerdict = { kind: 'dropped' }

// The functions below copy fields explicitly, because spreading objects of several shapes would take most of the time
// of a trace.

/** Appends a step to a path state. `to` is the packet after the step; without `to`, the packet is unchanged. */
export function withStep(
  { weight, assumptions, packet, last, budget }: PathState,
  step: StepFactory,
  to: KernelPacket = packet,
): PathState {
  return { weight, assumptions, packet: to, last: { step, previous: last }, budget }
}

export function withPacket({ weight, assumptions, last, budget }: PathState, packet: KernelPacket): PathState {
  return { weight, assumptions, packet, last, budget }
}

/** Multiplies the weight of a path by a probability. */
export function scaleWeight(
  { weight, assumptions, packet, last, budget }: PathState,
  probability: Fraction,
): PathState {
  return { weight: multiplyFractions(weight, probability), assumptions, packet, last, budget }
}

/**
 * Spends a number of paths that fork by chance. False if too few remain, or if the probability of the path has so many
 * digits that each further choice takes long.
 */
export function spendChoices({ weight: { denominator }, budget }: PathState, count: number): boolean {
  budget.choices -= count
  return budget.choices >= 0 && (typeof denominator === 'number' || denominator < LARGEST_DENOMINATOR)
}

const LARGEST_DENOMINATOR = 2n ** 4096n

export function withAssumption(
  { weight, assumptions, packet, last, budget }: PathState,
  condition: string,
  value: boolean,
): PathState {
  return { weight, assumptions: [...assumptions, { condition, value }], packet, last, budget }
}

export function withAssumptions(
  { weight, packet, last, budget }: PathState,
  assumptions: readonly Assumption[],
): PathState {
  return { weight, assumptions, packet, last, budget }
}

/**
 * Adds the verdict of a hook handler to a path state. `as` is the resulting packet; without `as`, the packet is
 * unchanged.
 */
export function withVerdict(
  { weight, assumptions, packet, last, budget }: PathState,
  verdict: HookVerdict,
  as: KernelPacket = packet,
): HandlerResult {
  return { weight, assumptions, packet: as, last, budget, verdict }
}

/** Returns the path state without the verdict. */
export function pathStateOf({ weight, assumptions, packet, last, budget }: HandlerResult): PathState {
  return { weight, assumptions, packet, last, budget }
}

/**
 * Returns the last step of a path with two parts: the steps up to `previous`, followed by the steps of another path
 * after `from`, up to and including `to`.
 */
export function rebaseSteps(
  from: LinkedStep | undefined,
  to: LinkedStep | undefined,
  previous: LinkedStep | undefined,
): LinkedStep | undefined {
  return to === undefined || to === from ? previous : { from, to, previous }
}

/** Returns the steps in chronological order. */
export function stepsOf({ last }: PathState): readonly PathStep[] {
  const steps: PathStep[] = []
  collectSteps(last, undefined, steps)
  return steps.reverse()
}

/** Appends the steps after `first`, up to `last`, to `steps` in reverse order. */
function collectSteps(last: LinkedStep | undefined, first: LinkedStep | undefined, steps: PathStep[]): void {
  for (let linked = last; linked !== undefined && linked !== first; linked = linked.previous) {
    if ('step' in linked) steps.push(linked.step())
    else collectSteps(linked.to, linked.from, steps)
  }
}
