import type { TableName } from '@kube-rules/compiler/internal/dataplane/iptables/ast'
import type { MatchResult } from '@kube-rules/compiler/internal/dataplane/iptables/matches/language'
import { evaluateMatches } from '@kube-rules/compiler/internal/dataplane/iptables/matches/matches'
import { printRule } from '@kube-rules/compiler/internal/dataplane/iptables/print/print'
import { evaluateVerdict } from '@kube-rules/compiler/internal/dataplane/iptables/verdicts/verdicts'
import {
  type Branch,
  DROPPED,
  type MakeStep,
  NEXT,
  withStep,
} from '@kube-rules/compiler/internal/dataplane/netfilter/branch'
import type { Hook } from '@kube-rules/compiler/internal/dataplane/netfilter/hooks'
import type { Knowledge } from '@kube-rules/compiler/internal/dataplane/netfilter/knowledge'
import type { IpFamily } from '@kube-rules/types'
import { knownOn } from '../../netfilter/locality.js'
import { pastMissing } from '../../netfilter/missing.js'
import { backFromChain, type Ran, type RanRule, runRules, stuck, TOO_MANY } from '../../netfilter/ran.js'
import { runWhere } from '../../netfilter/run-where.js'
import type { MissingOfChain } from './missing.js'
import type { PlacedRule } from './rule-index.js'
import type { RulesOfChain } from './table-index.js'

/** A table at one hook. */
export interface TableAtHook {
  readonly name: TableName
  readonly family: IpFamily
  readonly hook: Hook
  readonly knowledge: Knowledge
  readonly chain: RulesOfChain
  /** Returns the missing content of a chain; absent if all chains are complete. */
  readonly missing?: ((chain: string) => MissingOfChain | undefined) | undefined
  readonly stepOf: (rule: PlacedRule) => MakeStep
}

/** Follows a packet through a chain. `callers` are the calling chains; `caller` is the rule with the last jump. */
export function runChain(
  table: TableAtHook,
  name: string,
  start: Branch,
  callers: readonly string[] = [],
  caller?: PlacedRule,
): readonly Ran[] {
  const rules = table.chain(name, caller)
  const runGiven = (way: Branch) =>
    runRules({ name, rules: rules?.(way.packet), callers }, way, (owned, branch, path) =>
      runRule(table, owned, branch, path),
    )
  const missing = table.missing?.(name)
  if (missing === undefined) return runGiven(start)
  if (missing.what === 'all') return [stuck(start, missing.reason)]
  const goOn = (way: Branch): readonly Ran[] => (rules === undefined ? [{ branch: way, exit: 'chain' }] : runGiven(way))
  return pastMissing(start, { reason: missing.reason, goOn, stop: stuck })
}

function runRule(table: TableAtHook, owned: PlacedRule, branch: Branch, path: readonly string[]): RanRule {
  if (branch.packet.alike === undefined) {
    // Fast path: for a single packet, most rules can be evaluated without closures.
    const told = holdsOn(table, owned, branch)
    if (told === 'no') return 'passed'
    if (told === 'yes') return applyRule(table, owned, branch, path)
  }
  return runRuleWhere(table, owned, branch, path)
}

/** Forks the path into those with a match of the rule and those without. */
function runRuleWhere(table: TableAtHook, owned: PlacedRule, branch: Branch, path: readonly string[]): RanRule {
  const condition = {
    holdsOn: (way: Branch) => holdsOn(table, owned, way),
    question: () => `iptables ${table.name} ${printRule(owned.rule, 'save', table.family)} matches`,
    knowledge: table.knowledge,
  }
  return runWhere(condition, branch, (way) => applyRule(table, owned, way, path))
}

function holdsOn({ hook, knowledge }: TableAtHook, { rule }: PlacedRule, way: Branch): MatchResult {
  return evaluateMatches(rule.matches, { packet: way.packet, hook, knowledge: knownOn(way, knowledge) })
}

function applyRule(table: TableAtHook, owned: PlacedRule, branch: Branch, path: readonly string[]): readonly Ran[] {
  if (branch.effort.rules-- <= 0) return [stuck(branch, TOO_MANY)]
  const { verdict } = owned.rule
  const step = table.stepOf(owned)
  if (verdict === undefined) return [{ branch: withStep(branch, step), exit: 'rule' }]
  const effect = evaluateVerdict(verdict, branch.packet)
  const stepped = withStep(branch, step, 'packet' in effect ? effect.packet : branch.packet)
  switch (effect.kind) {
    case 'continue':
      return [{ branch: stepped, exit: 'rule' }]
    case 'accept':
      return [{ branch: stepped, exit: NEXT }]
    case 'drop':
      return [{ branch: stepped, exit: DROPPED }]
    case 'reject':
      return [{ branch: stepped, exit: { to: 'rejected', with: effect.with } }]
    case 'return':
      return [{ branch: stepped, exit: 'chain' }]
    case 'jump':
      return runChain(table, effect.chain, stepped, path, owned).map(backFromChain)
    case 'goto':
      return runChain(table, effect.chain, stepped, path, owned)
    case 'unknown':
      return [stuck(stepped, effect.reason)]
  }
}
