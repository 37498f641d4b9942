import { groupItems } from '@kube-rules/compiler/internal/internal/group-items'
import { memoize } from '@kube-rules/compiler/internal/internal/memo'
import { joinRuleConditions, toDistinctCondition } from './assumptions.js'
import { type ChainResult, continueInChain, endPathAsUnknown, TOO_MANY_PATHS } from './chain-result.js'
import {
  type ConditionTable,
  type HookVerdict,
  type PathState,
  type StepFactory,
  withAssumption,
  withStep,
} from './path-state.js'

/** A rule that cannot be evaluated, and that leaves the chain if it matches. */
export interface UnevaluatedRule {
  /** The identity of the rule. */
  readonly rule: object
  /** Formats the question whether the rule matches. */
  readonly question: () => string
  readonly exit: 'chain' | HookVerdict
  readonly step: StepFactory
}

/**
 * The paths after a rule. `passed` means that the rule does not match and the path is unchanged, which is the most
 * common case.
 */
export type RuleOutcome = readonly ChainResult[] | 'passed' | UnevaluatedRule

/**
 * Maximum number of separate paths that differ only in rules that cannot be evaluated. Up to this number, each path
 * names the rule that it depends on. If there are more paths, they are joined.
 */
export const MAX_SEPARATE_PATHS = 7

export function isUnevaluatedRule(ran: object | string): ran is UnevaluatedRule {
  return typeof ran === 'object' && 'exit' in ran
}

/**
 * Follows consecutive rules that cannot be evaluated. Adds the paths that end at one of them to `done`. For many rules
 * with the same verdict, only one path is added, with the condition that one of these rules applies. Returns the path
 * on which none of the rules matches; undefined if following the rules takes too much work.
 */
export function forkAtUnevaluatedRules(
  ends: readonly UnevaluatedRule[],
  start: PathState,
  done: ChainResult[],
): PathState | undefined {
  const { budget } = start
  const groups =
    ends.length < MAX_SEPARATE_PATHS || budget.conditions === undefined ? undefined : groupsOf(ends, budget.conditions)
  let passed = start
  for (const { end, condition } of groups ?? ends.map((end) => ({ end, condition: end.question() }))) {
    if (budget.forks-- <= 0) {
      done.push(endPathAsUnknown(passed, TOO_MANY_PATHS))
      return undefined
    }
    const what = toDistinctCondition(condition, passed.assumptions)
    done.push({ branch: withStep(withAssumption(passed, what, true), end.step), exit: end.exit })
    passed = withAssumption(passed, what, false)
  }
  return passed
}

/** Returns the paths that continue after the `waiting` rules. Adds the paths that end at one of them to `done`. */
export function continueAfterUnevaluatedRules(
  waiting: readonly UnevaluatedRule[],
  live: readonly PathState[],
  done: ChainResult[],
): readonly PathState[] {
  const [before] = live
  if (before === undefined || waiting.length === 0) return live
  const passed = forkAtUnevaluatedRules(waiting, before, done)
  return passed === undefined ? [] : [passed]
}

/** Returns the paths after a rule, including the path on which the rule does not match. */
export function toChainResults(ran: RuleOutcome, branch: PathState): readonly ChainResult[] {
  if (ran === 'passed') return [{ branch, exit: 'rule' }]
  if (!isUnevaluatedRule(ran)) return ran
  const done: ChainResult[] = []
  const passed = continueAfterUnevaluatedRules([ran], [branch], done)
  return [...done, ...passed.map(continueInChain)]
}

/** Several rules with the same verdict, treated as one. `end` is the first of these rules. */
interface GroupOfEnds {
  readonly end: UnevaluatedRule
  readonly condition: string
}

/**
 * A node in a tree of rule sequences, which is used as a cache. `next` maps each rule to the node of the sequence with
 * this rule appended.
 */
interface RuleSequence {
  readonly next: Map<object, RuleSequence>
  /** The groups of the rules in this sequence, computed on first use. */
  groups?: readonly GroupOfEnds[]
}

function emptySequence(): RuleSequence {
  return { next: new Map() }
}

/** Groups rules by verdict. The groups are cached, because most packets reach the same rules. */
function groupsOf(ends: readonly UnevaluatedRule[], table: ConditionTable): readonly GroupOfEnds[] {
  let sequence = memoize(table, emptySequence)
  for (const { rule } of ends) {
    const existing = sequence.next.get(rule)
    const next = existing ?? emptySequence()
    if (existing === undefined) sequence.next.set(rule, next)
    sequence = next
  }
  sequence.groups ??= newGroups(ends, table)
  return sequence.groups
}

function newGroups(ends: readonly UnevaluatedRule[], table: ConditionTable): readonly GroupOfEnds[] {
  const all = ends.map((end) => ({ end, rule: end.question(), verdict: JSON.stringify(end.exit) }))
  const groups = groupItems(all, ({ verdict }) => verdict)
  const sequence = JSON.stringify(all.map(({ rule, verdict }) => [rule, verdict]))
  return Array.from(groups, ([verdict, group]) => {
    const [{ end }] = group as [(typeof all)[number]]
    return {
      end,
      condition: joinRuleConditions(
        group.map(({ rule }) => rule),
        verdict + sequence,
        table,
      ),
    }
  })
}
