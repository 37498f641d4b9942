import type { Rule } from '@kube-rules/compiler/internal/dataplane/iptables/ast'
import { printRule } from '@kube-rules/compiler/internal/dataplane/iptables/print/print'
import { compactList } from '@kube-rules/compiler/internal/internal/compact-list'
import { conditionOfRule } from '../../../program/assumptions.js'
import type { Effect, Instruction, Literal } from '../../../program/program.js'
import type { ChainLookup } from './chains-of-table.js'
import { lowerMatch } from './lower-match.js'
import { lowerTarget } from './lower-target.js'
import type { MatchContext } from './modules/match-module.js'
import { createRuleStep, type RuleTable } from './rule-step.js'
import type { RuleOfBlock } from './rules-of-chains.js'

/** The table of a rule, and the context of its lowering. */
export interface RuleContext extends RuleTable, MatchContext {
  readonly chains: ChainLookup
}

/** Lowers a rule to instructions. There are several if conditions of the target choose between effects. */
export function lowerRule(owned: RuleOfBlock, context: RuleContext): readonly Instruction[] {
  const { rule } = owned
  const literals = lowerMatches(rule, context)
  const step: Effect = { kind: 'step', step: createRuleStep(owned, context) }
  const condition = () => conditionOfRule(`iptables ${context.name} ${printRule(rule, 'save', context.family)}`)
  if (rule.target === undefined) return [{ literals, effects: [step], condition }]
  const actions = lowerTarget(rule.target, context, owned.block)
  const [only] = actions
  if (only !== undefined && actions.length === 1) return [{ literals, effects: [step, ...only.effects], condition }]
  return actions.map((action) => ({
    literals: action.literals === undefined ? literals : [...literals, ...action.literals],
    effects: [step, ...action.effects],
    condition: action.condition ?? condition,
  }))
}

function lowerMatches({ matches }: Rule, context: RuleContext): readonly Literal[] {
  const literals: Literal[] = []
  for (const match of matches) for (const literal of lowerMatch(match, context)) literals.push(literal)
  return compactList(literals)
}
