import { recordDestinationRead } from '@kube-rules/compiler/internal/dataplane/netfilter/destination-read-log'
import type { EvaluationContext } from '@kube-rules/compiler/internal/dataplane/netfilter/evaluation-context'
import type { HookPacket, HookPacketFactory } from '@kube-rules/compiler/internal/dataplane/netfilter/hook-packet'
import type { Hook } from '@kube-rules/compiler/internal/dataplane/netfilter/hooks'
import type { Chain, Element, Rule, Selector, Statement } from '@kube-rules/compiler/internal/dataplane/nftables/ast'
import { withPathAssumptions } from '../../netfilter/locality.js'
import type { PathState, StepFactory } from '../../netfilter/path-state.js'
import type { SetLookup } from './match.js'
import type { MissingTableContent } from './missing.js'
import { mayDependOnDestination } from './selector-value.js'

/** A table at one hook. */
export interface TableAtHook {
  readonly hook: Hook
  readonly facts: EvaluationContext
  readonly passageOf: HookPacketFactory
  /** Returns the chain with a name. Undefined if the chain does not exist. */
  readonly chain: (name: string) => Chain | undefined
  readonly sets: SetLookup
  /** The missing parts of chains and sets; absent if the table is complete. */
  readonly missing?: MissingTableContent | undefined
  /** Creates the step of a rule; `element` is the matching element of its map. */
  readonly stepOf: (chain: string, rule: Rule, verdict: Statement | undefined, element?: Element) => StepFactory
  /** Formats the rule for messages. */
  readonly textOf: (rule: Rule) => string
}

/** A rule in its chain. `path` contains the calling chains, followed by the chain of the rule. */
export interface RuleAt {
  readonly table: TableAtHook
  readonly rule: Rule
  readonly chain: string
  readonly path: readonly string[]
}

/** Returns the packet of a path at the hook of a rule. */
export function passageAt({ table: { facts, passageOf } }: RuleAt, branch: PathState): HookPacket {
  return passageOf(branch.packet, withPathAssumptions(branch, facts))
}

/**
 * Evaluates a function of the given selectors. If the result may depend on the destination of the packet, records that
 * the destination was read.
 */
export function evaluateSelectors<T>(
  selectors: readonly Selector[],
  passage: HookPacket,
  evaluate: (passage: HookPacket) => T,
): T {
  if (passage.packet.destinationLog === undefined || !selectors.some(mayDependOnDestination)) return evaluate(passage)
  return recordDestinationRead(passage.packet, (packet) => evaluate({ ...passage, packet }))
}
