import { createPacketKey } from '@kube-rules/compiler/internal/dataplane/netfilter/kernel-packet'
import { addFractions, type Fraction } from '@kube-rules/compiler/internal/internal/fraction'
import { groupItems } from '@kube-rules/compiler/internal/internal/group-items'
import { elementAt } from '@kube-rules/compiler/internal/internal/known-items'
import { assignConditionNumber, joinAssumptionCases, toDistinctCondition } from './assumptions.js'
import type { ChainResult } from './chain-result.js'
import { isLocalityCondition } from './locality.js'
import { isAboutMissingContent } from './missing.js'
import { type Assumption, createConditionTable, type PathState, withAssumptions } from './path-state.js'

/**
 * Joins the paths of a chain that depend on rules that cannot be evaluated. Afterwards, paths with the same result
 * depend on one condition, regardless of the number of rules. `runs` are all paths from `start`. Undefined if the paths
 * also depend on other conditions, or if only some combinations of assumptions also depend on randomness.
 */
export function mergeUnevaluatedPaths(
  start: PathState,
  runs: readonly ChainResult[],
): readonly ChainResult[] | undefined {
  const cases = casesOf(start, runs)
  if (cases === undefined) return undefined
  const groups = groupItems(cases, ({ runs }) => resultKey(runs))
  if (groups.size === cases.length) return runs
  start.budget.forks += cases.length - groups.size
  return conditioned(start, inOrder([...groups.values()], cases.at(-1)))
}

/**
 * Returns the paths of several sources without duplicates. Two paths are duplicates if they have the same result and
 * depend on the same conditions, regardless of their weights.
 */
export function mergePathsOfSources({ budget }: PathState, runs: readonly ChainResult[]): readonly ChainResult[] {
  const distinct = new Map<string, ChainResult>()
  for (const run of runs) {
    const key = `${runKey(run)} ${run.branch.assumptions.map(({ condition }) => condition).join('\n')}`
    if (!distinct.has(key)) distinct.set(key, run)
  }
  budget.forks += runs.length - distinct.size
  return [...distinct.values()]
}

/** A case: all paths that have the same set of assumptions. No two cases have the same set. */
interface Case {
  /** The assumptions made after the start of the chain. */
  readonly assumptions: readonly Assumption[]
  readonly runs: ChainResult[]
}

function casesOf(start: PathState, runs: readonly ChainResult[]): readonly Case[] | undefined {
  const conditions = start.budget.conditions ?? createConditionTable()
  const before = start.assumptions.length
  const cases = new Map<string, Case>()
  for (const run of runs) {
    const { assumptions } = run.branch
    let key = ''
    for (let at = before; at < assumptions.length; at++) {
      const { condition, value } = elementAt(assumptions, at)
      if (isLocalityCondition(condition) || isAboutMissingContent(condition)) return undefined
      key += `${value ? '' : '-'}${assignConditionNumber(conditions, condition)} `
    }
    const existing = cases.get(key)
    if (existing === undefined) cases.set(key, { assumptions: assumptions.slice(before), runs: [run] })
    else existing.runs.push(run)
  }
  const all = [...cases.values()]
  return all.every((each) => isComplete(each, start.weight)) ? all : undefined
}

/**
 * Reports whether the probabilities of the paths of a case add up to the probability of the start. If they do, cases do
 * not overlap.
 */
function isComplete({ runs }: Case, { numerator, denominator }: Fraction): boolean {
  const [first, ...others] = runs as [ChainResult, ...ChainResult[]]
  const sum = others.reduce((weight, { branch }) => addFractions(weight, branch.weight), first.branch.weight)
  return sum.numerator === numerator && sum.denominator === denominator
}

function resultKey(runs: readonly ChainResult[]): string {
  const [first] = runs
  if (first !== undefined && runs.length === 1) return runKey(first)
  const keyed = runs.map((run) => {
    const { numerator, denominator } = run.branch.weight
    return `${runKey(run)} ${numerator}/${denominator}`
  })
  return keyed.sort().join('\n')
}

function runKey({ branch, exit }: ChainResult): string {
  return `${typeof exit === 'string' ? exit : JSON.stringify(exit)} ${createPacketKey(branch.packet)}`
}

/** Moves the group of the last case to the end. This group contains the paths on which no rule matches. */
function inOrder(groups: readonly (readonly Case[])[], last: Case | undefined): readonly (readonly Case[])[] {
  const isLast = (group: readonly Case[]) => group.at(-1) === last
  return [...groups.filter((group) => !isLast(group)), ...groups.filter(isLast)]
}

/** Returns the paths of each group under one condition, which excludes the conditions of the preceding groups. */
function conditioned(start: PathState, groups: readonly (readonly Case[])[]): readonly ChainResult[] {
  let excluded = start.assumptions
  return groups.flatMap((group, index) => {
    const isLast = index === groups.length - 1
    const assumptions = isLast ? excluded : [...excluded, { condition: conditionOf(group, start), value: true }]
    if (!isLast) excluded = [...excluded, { condition: conditionOf(group, start), value: false }]
    const representative = (isLast ? group.at(-1) : group[0]) as Case
    return representative.runs.map(({ branch, exit }) => ({ branch: withAssumptions(branch, assumptions), exit }))
  })
}

function conditionOf(group: readonly Case[], { assumptions, budget }: PathState): string {
  const cases = group.map((each) => each.assumptions)
  return toDistinctCondition(joinAssumptionCases(cases, budget.conditions ?? createConditionTable()), assumptions)
}
