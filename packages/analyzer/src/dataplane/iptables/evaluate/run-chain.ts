import type { TableName } from '@kube-rules/compiler/internal/dataplane/iptables/ast'
import type { MatchResult } from '@kube-rules/compiler/internal/dataplane/iptables/matches/language'
import { evaluateMatches } from '@kube-rules/compiler/internal/dataplane/iptables/matches/matches'
import { printRule } from '@kube-rules/compiler/internal/dataplane/iptables/print/print'
import { chainId } from '@kube-rules/compiler/internal/dataplane/iptables/resources'
import type { Effect } from '@kube-rules/compiler/internal/dataplane/iptables/targets/language'
import { evaluateTarget } from '@kube-rules/compiler/internal/dataplane/iptables/targets/verdicts'
import type { Hook } from '@kube-rules/compiler/internal/dataplane/netfilter/hooks'
import type { KnownFacts } from '@kube-rules/compiler/internal/dataplane/netfilter/known-facts'
import {
  type CreateStep,
  DROPPED,
  NEXT,
  type PathState,
  withStep,
} from '@kube-rules/compiler/internal/dataplane/netfilter/path-state'
import type { IpFamily } from '@kube-rules/types'
import { type ChainRun, endPath, returnFromChain, TOO_MANY_PATHS } from '../../netfilter/chain-run.js'
import { factsOnPath } from '../../netfilter/locality.js'
import { forkAtMissing } from '../../netfilter/missing.js'
import type { PossibleEnd, RuleOutcome } from '../../netfilter/possible-end.js'
import { runRules } from '../../netfilter/run-rules.js'
import { type Condition, runWhere } from '../../netfilter/run-where.js'
import type { MissingChainParts } from './missing.js'
import type { IndexedRule } from './rule-index.js'
import type { RulesOfChain } from './table-index.js'

/** A table at one hook. */
export interface TableAtHook {
  readonly name: TableName
  readonly family: IpFamily
  readonly hook: Hook
  readonly facts: KnownFacts
  readonly chain: RulesOfChain
  /** Returns the missing content of a chain; absent if all chains are complete. */
  readonly missing?: ((chain: string) => MissingChainParts | undefined) | undefined
  readonly stepOf: (rule: IndexedRule) => CreateStep
}

/** Follows a packet through a chain. `callers` are the calling chains; `caller` is the rule with the last jump. */
export function runChain(
  table: TableAtHook,
  name: string,
  start: PathState,
  callers: readonly string[] = [],
  caller?: IndexedRule,
): readonly ChainRun[] {
  const rules = table.chain(name, caller)
  const runGiven = (tracePath: PathState) =>
    runRules({ name, rules: rules?.(tracePath.packet), callers }, tracePath, (owned, branch, path) =>
      runRule(table, owned, branch, path),
    )
  const missing = table.missing?.(name)
  if (rules === undefined && isLeftOut(table, name)) return [{ branch: start, exit: 'chain' }]
  if (missing === undefined) return runGiven(start)
  if (missing.what === 'all') return [endPath(start, missing.reason)]
  const continuePath = (path: PathState): readonly ChainRun[] =>
    rules === undefined ? [{ branch: path, exit: 'chain' }] : runGiven(path)
  return forkAtMissing(start, { reason: missing.reason, continuePath, stop: endPath })
}

function isLeftOut({ name, facts }: TableAtHook, chain: string): boolean {
  return facts.known === undefined && facts.isLeftOut?.(chainId(name, chain)) === true
}

function runRule(table: TableAtHook, owned: IndexedRule, branch: PathState, path: readonly string[]): RuleOutcome {
  if (branch.packet.equivalents === undefined) {
    // Fast path: for a single packet, most rules can be evaluated without closures.
    const told = holdsOn(table, owned, branch)
    if (told === 'no') return 'passed'
    if (told === 'yes') return applyRule(table, owned, branch, path)
  }
  return runRuleWhere(table, owned, branch, path)
}

/** Forks the path into those with a match of the rule and those without. */
function runRuleWhere(table: TableAtHook, owned: IndexedRule, branch: PathState, path: readonly string[]): RuleOutcome {
  const condition = {
    holdsOn: (path: PathState) => holdsOn(table, owned, path),
    question: () => `iptables ${table.name} ${printRule(owned.rule, 'save', table.family)} matches`,
    facts: table.facts,
    end: possibleEnd(table, owned, branch),
  }
  return runWhere(condition, branch, (tracePath) => applyRule(table, owned, tracePath, path))
}

/** Returns the end of a path that matches the rule, if the rule does nothing else than end it. */
function possibleEnd(table: TableAtHook, owned: IndexedRule, { packet }: PathState): Condition['end'] {
  const { target } = owned.rule
  const effect = target && evaluateTarget(target, packet)
  if (effect === undefined || ('packet' in effect && effect.packet !== packet)) return undefined
  const exit = exitOf(effect)
  return exit && { rule: owned.rule, exit, step: table.stepOf(owned) }
}

type EndingKind = 'accept' | 'drop' | 'reject' | 'return'

/** Returns the exit from a chain; undefined for an effect that does more, or does not leave it. */
function exitOf(effect: Extract<Effect, { readonly kind: EndingKind }>): PossibleEnd['exit']
function exitOf(effect: Effect): PossibleEnd['exit'] | undefined
function exitOf(effect: Effect): PossibleEnd['exit'] | undefined {
  switch (effect.kind) {
    case 'accept':
      return NEXT
    case 'drop':
      return DROPPED
    case 'reject':
      return { kind: 'rejected', with: effect.with }
    case 'return':
      return 'chain'
    default:
      return undefined
  }
}

function holdsOn({ hook, facts }: TableAtHook, { rule }: IndexedRule, path: PathState): MatchResult {
  return evaluateMatches(rule.matches, { packet: path.packet, hook, facts: factsOnPath(path, facts) })
}

function applyRule(
  table: TableAtHook,
  owned: IndexedRule,
  branch: PathState,
  path: readonly string[],
): readonly ChainRun[] {
  if (branch.budget.rules-- <= 0) return [endPath(branch, TOO_MANY_PATHS)]
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
      return [endPath(stepped, effect.reason)]
  }
}
