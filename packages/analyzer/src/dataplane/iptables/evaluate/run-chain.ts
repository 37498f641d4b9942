import type { TableName } from '@kube-rules/compiler/internal/dataplane/iptables/ast'
import type { MatchResult } from '@kube-rules/compiler/internal/dataplane/iptables/matches/operations'
import { printRule } from '@kube-rules/compiler/internal/dataplane/iptables/print/print'
import { formatChainId } from '@kube-rules/compiler/internal/dataplane/iptables/resources'
import type { TargetEffect } from '@kube-rules/compiler/internal/dataplane/iptables/targets/operations'
import type { EvaluationContext } from '@kube-rules/compiler/internal/dataplane/netfilter/evaluation-context'
import type { HookPacketFactory } from '@kube-rules/compiler/internal/dataplane/netfilter/hook-packet'
import type { Hook } from '@kube-rules/compiler/internal/dataplane/netfilter/hooks'
import type { Fraction } from '@kube-rules/compiler/internal/internal/fraction'
import type { IpFamily } from '@kube-rules/types'
import { type ChainResult, endPathAsUnknown, returnFromChain, TOO_MANY_PATHS } from '../../netfilter/chain-result.js'
import { forkByChance, forkByCondition, type RuleCondition } from '../../netfilter/fork-by-condition.js'
import { withPathAssumptions } from '../../netfilter/locality.js'
import { forkAtMissingContent } from '../../netfilter/missing.js'
import {
  DROPPED_VERDICT,
  NEXT_VERDICT,
  type PathState,
  type StepFactory,
  withStep,
} from '../../netfilter/path-state.js'
import { type RunRule, runRules } from '../../netfilter/run-rules.js'
import type { RuleOutcome, UnevaluatedRule } from '../../netfilter/unevaluated-rule.js'
import { evaluateMatches } from './evaluate-matches.js'
import { evaluateTarget } from './evaluate-target.js'
import type { MissingChainContent } from './missing.js'
import type { IndexedRule, RuleLookup } from './rule-index.js'
import type { ChainRuleLookup } from './table-index.js'

/** A table at one hook. */
export interface TableAtHook {
  readonly name: TableName
  readonly family: IpFamily
  readonly hook: Hook
  readonly facts: EvaluationContext
  readonly passageOf: HookPacketFactory
  readonly chain: ChainRuleLookup
  /** Returns the missing content of a chain. Absent if all chains are complete. */
  readonly missing?: ((chain: string) => MissingChainContent | undefined) | undefined
  readonly stepOf: (rule: IndexedRule) => StepFactory
  /** `runRule` for this table. */
  readonly runRule: RunRule<IndexedRule>
}

/** Follows a packet through a chain. `callers` are the calling chains; `caller` is the rule with the last jump. */
export function runChain(
  table: TableAtHook,
  name: string,
  start: PathState,
  callers: readonly string[] = [],
  caller?: IndexedRule,
): readonly ChainResult[] {
  const rules = table.chain(name, caller)
  const missing = table.missing?.(name)
  if (rules === undefined && isLeftOut(table, name)) return [{ branch: start, exit: 'chain' }]
  if (missing === undefined) return runRules({ name, rules: rules?.(start.packet), callers }, start, table.runRule)
  if (missing.what === 'all') return [endPathAsUnknown(start, missing.reason)]
  return runIncompleteChain(table, { name, rules, callers }, start, missing.reason)
}

interface IncompleteChain {
  readonly name: string
  readonly rules: RuleLookup | undefined
  readonly callers: readonly string[]
}

function runIncompleteChain(
  { runRule }: TableAtHook,
  { name, rules, callers }: IncompleteChain,
  start: PathState,
  reason: string,
): readonly ChainResult[] {
  const continuePath = (path: PathState): readonly ChainResult[] =>
    rules === undefined
      ? [{ branch: path, exit: 'chain' }]
      : runRules({ name, rules: rules(path.packet), callers }, path, runRule)
  return forkAtMissingContent(start, { reason, continuePath, stop: endPathAsUnknown })
}

function isLeftOut({ name, facts }: TableAtHook, chain: string): boolean {
  return facts.coverage === undefined && facts.isLeftOut?.(formatChainId(name, chain)) === true
}

/** Follows a packet through a rule. `path` are the calling chains, with the chain of the rule at the end. */
export function runRule(
  table: TableAtHook,
  owned: IndexedRule,
  branch: PathState,
  path: readonly string[],
): RuleOutcome {
  const { equivalents, readSet } = branch.packet
  const readsBefore = readSet?.sourceReads
  const holds = holdsOn(table, owned, branch)
  // Fast path: most rules certainly match or do not match all packets of the path, so the path need not be forked.
  if (equivalents === undefined || equivalents.sources.length === 1 || readSet?.sourceReads === readsBefore) {
    if (holds === 'no') return 'passed'
    if (holds === 'yes') return applyRule(table, owned, branch, path)
    if (holds !== 'unknown' && equivalents === undefined) return runRuleByChance(holds, table, owned, branch, path)
  }
  return runRuleWhere(table, owned, branch, path)
}

// This is a separate function, because a function with a closure is slower even if it returns before it creates the
// closure.
function runRuleByChance(
  chance: Fraction,
  table: TableAtHook,
  owned: IndexedRule,
  branch: PathState,
  path: readonly string[],
): readonly ChainResult[] {
  return forkByChance(chance, branch, (taken) => applyRule(table, owned, taken, path))
}

/** Forks the path into paths that match the rule and paths that do not. */
function runRuleWhere(table: TableAtHook, owned: IndexedRule, branch: PathState, path: readonly string[]): RuleOutcome {
  const condition = {
    holdsOn: (path: PathState) => holdsOn(table, owned, path),
    question: () => `iptables ${table.name} ${printRule(owned.rule, 'save', table.family)} matches`,
    facts: table.facts,
    end: possibleEnd(table, owned, branch),
  }
  return forkByCondition(condition, branch, (tracePath) => applyRule(table, owned, tracePath, path))
}

/**
 * Returns the end of a path if the rule matches. Undefined if the rule does not end the path, or also changes the
 * packet.
 */
function possibleEnd(table: TableAtHook, owned: IndexedRule, { packet }: PathState): RuleCondition['end'] {
  const { target } = owned.rule
  const effect = target && evaluateTarget(target, packet)
  if (effect === undefined || ('packet' in effect && effect.packet !== packet)) return undefined
  const exit = exitOf(effect)
  return exit && { rule: owned.rule, exit, step: table.stepOf(owned) }
}

type EndingKind = 'accept' | 'drop' | 'reject' | 'return'

/** Returns the exit from a chain that an effect causes; undefined if the path stays in the chain. */
function exitOf(effect: Extract<TargetEffect, { readonly kind: EndingKind }>): UnevaluatedRule['exit']
function exitOf(effect: TargetEffect): UnevaluatedRule['exit'] | undefined
function exitOf(effect: TargetEffect): UnevaluatedRule['exit'] | undefined {
  switch (effect.kind) {
    case 'accept':
      return NEXT_VERDICT
    case 'drop':
      return DROPPED_VERDICT
    case 'reject':
      return { kind: 'rejected', with: effect.with }
    case 'return':
      return 'chain'
    default:
      return undefined
  }
}

function holdsOn({ facts, passageOf }: TableAtHook, { rule }: IndexedRule, path: PathState): MatchResult {
  return evaluateMatches(rule.matches, passageOf(path.packet, withPathAssumptions(path, facts)))
}

function applyRule(
  table: TableAtHook,
  owned: IndexedRule,
  branch: PathState,
  path: readonly string[],
): readonly ChainResult[] {
  if (branch.budget.rules-- <= 0) return [endPathAsUnknown(branch, TOO_MANY_PATHS)]
  const { target } = owned.rule
  const step = table.stepOf(owned)
  if (target === undefined) return [{ branch: withStep(branch, step), exit: 'rule' }]
  const effect = evaluateTarget(target, branch.packet)
  const stepped = withStep(branch, step, 'packet' in effect ? effect.packet : branch.packet)
  switch (effect.kind) {
    case 'continue':
      return [{ branch: stepped, exit: 'rule' }]
    case 'accept':
    case 'drop':
    case 'reject':
    case 'return':
      return [{ branch: stepped, exit: exitOf(effect) }]
    case 'jump':
      return runChain(table, effect.chain, stepped, path, owned).map(returnFromChain)
    case 'goto':
      return runChain(table, effect.chain, stepped, path, owned)
    case 'unknown':
      return [endPathAsUnknown(stepped, effect.reason)]
  }
}
