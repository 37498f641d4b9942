import type { Element, Verdict } from '@kube-rules/compiler/internal/dataplane/nftables/ast'
import type { ChainReference, Effect } from '../../../program/program.js'
import type { Clause } from './clause.js'
import type { PacketScope } from './comparison.js'
import type { SetLookup } from './lower-lookup.js'
import { createRuleStep, type RulePlace } from './rule-step.js'

/** A rule, with the parts of its table that its lowering needs. */
export interface RuleScope extends RulePlace, PacketScope {
  readonly sets: SetLookup
  readonly referTo: (chain: string) => ChainReference
  /** Returns the reason why one of these sets is incomplete; undefined if all are complete. */
  readonly missingPartOf: (sets: readonly string[]) => string | undefined
}

/** Returns the effects of a verdict after its step. `continue` has none. */
export function verdictEffects(verdict: Verdict, { referTo }: RuleScope): readonly Effect[] {
  switch (verdict.kind) {
    case 'accept':
    case 'drop':
    case 'return':
      return [{ kind: verdict.kind }]
    case 'continue':
      return []
    case 'jump':
    case 'goto':
      return [{ kind: verdict.kind, chain: referTo(verdict.chain) }]
  }
}

/** Returns the effect that records the step of a rule. */
export function stepEffect(clause: Clause, scope: RuleScope, element?: Element): Effect {
  return { kind: 'step', step: createRuleStep(scope, clause, element) }
}
