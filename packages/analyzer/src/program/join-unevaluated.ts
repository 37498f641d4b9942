import { addFractions, type Fraction } from '@kube-rules/compiler/internal/internal/fraction'
import { groupItems } from '@kube-rules/compiler/internal/internal/group-items'
import { elementAt } from '@kube-rules/compiler/internal/internal/known-items'
import { isLocalityCondition } from './assumed-locality.js'
import { type Assumption, assignConditionNumber, joinAssumptionCases, toDistinctCondition } from './assumptions.js'
import type { ChainResult } from './chain-result.js'
import { isAboutMissingContent } from './missing-content.js'
import { createPathKey, type PathState, weightWithDestinations, withAssumptions } from './path-state.js'
import type { RunContext } from './split-path.js'

/**
 * Joins the paths of a chain that depend on instructions that cannot be evaluated. Afterwards, paths with the same
 * result depend on one condition, regardless of the number of instructions. `results` are all paths from `start`.
 * Undefined if the paths also depend on other conditions, or if only some combinations of assumptions also depend on
 * randomness or on the destination.
 */
export function joinUnevaluatedPaths(
  start: PathState,
  results: readonly ChainResult[],
  run: RunContext,
): readonly ChainResult[] | undefined {
  if (start.sources !== undefined) return withoutDuplicates(results, run)
  const cases = casesOf(start, results, run)
  if (cases === undefined) return undefined
  const groups = groupItems(cases, ({ results: own }) => resultKey(own))
  if (groups.size === cases.length) return results
  run.budget.forks += cases.length - groups.size
  return conditioned(start, inOrder([...groups.values()], cases.at(-1)), run)
}

/**
 * Returns the paths of several sources without duplicates. Two paths are duplicates if they have the same result and
 * depend on the same conditions, regardless of their weights.
 */
function withoutDuplicates(results: readonly ChainResult[], { budget }: RunContext): readonly ChainResult[] {
  const distinct = new Map<string, ChainResult>()
  for (const result of results) {
    const key = `${keyOfResult(result)} ${result.path.assumptions.map(({ condition }) => condition).join('\n')}`
    if (!distinct.has(key)) distinct.set(key, result)
  }
  budget.forks += results.length - distinct.size
  return [...distinct.values()]
}

/** A case: all paths that have the same set of assumptions. No two cases have the same set. */
interface Case {
  /** The assumptions made after the start of the chain. */
  readonly assumptions: readonly Assumption[]
  readonly results: ChainResult[]
}

function casesOf(
  start: PathState,
  results: readonly ChainResult[],
  { conditions }: RunContext,
): readonly Case[] | undefined {
  const known = start.assumptions.length
  const cases = new Map<string, Case>()
  for (const result of results) {
    const { assumptions } = result.path
    let key = ''
    for (let at = known; at < assumptions.length; at++) {
      const { condition, value } = elementAt(assumptions, at)
      if (isLocalityCondition(condition) || isAboutMissingContent(condition)) return undefined
      key += `${value ? '' : '-'}${assignConditionNumber(conditions, condition)} `
    }
    const existing = cases.get(key)
    if (existing === undefined) cases.set(key, { assumptions: assumptions.slice(known), results: [result] })
    else existing.results.push(result)
  }
  const all = [...cases.values()]
  const whole = weightWithDestinations(start)
  return all.every((each) => isComplete(each, whole)) ? all : undefined
}

/**
 * Reports whether the probabilities of the paths of a case add up to the probability of the start. If they do, cases do
 * not overlap.
 */
function isComplete({ results }: Case, { numerator, denominator }: Fraction): boolean {
  const [first, ...others] = results.map(({ path }) => weightWithDestinations(path)) as [Fraction, ...Fraction[]]
  const sum = others.reduce(addFractions, first)
  return sum.numerator === numerator && sum.denominator === denominator
}

function resultKey(results: readonly ChainResult[]): string {
  const [first] = results
  if (first !== undefined && results.length === 1) return keyOfResult(first)
  const keys = results.map((result) => {
    const { numerator, denominator } = result.path.weight
    return `${keyOfResult(result)} ${numerator}/${denominator}`
  })
  return keys.sort().join('\n')
}

function keyOfResult({ path, exit }: ChainResult): string {
  return `${typeof exit === 'string' ? exit : JSON.stringify(exit)} ${createPathKey(path)}`
}

/** Moves the group of the last case to the end. This group contains the paths on which no instruction matches. */
function inOrder(groups: readonly (readonly Case[])[], last: Case | undefined): readonly (readonly Case[])[] {
  const isLast = (group: readonly Case[]) => group.at(-1) === last
  return [...groups.filter((group) => !isLast(group)), ...groups.filter(isLast)]
}

/**
 * Gives all paths of a group the same assumption: the condition of the group is true, and the conditions of all earlier
 * groups are false.
 */
function conditioned(start: PathState, groups: readonly (readonly Case[])[], run: RunContext): readonly ChainResult[] {
  let excluded = start.assumptions
  return groups.flatMap((group, index) => {
    const isLast = index === groups.length - 1
    const condition = isLast ? '' : conditionOf(group, start, run)
    const assumptions = isLast ? excluded : [...excluded, { condition, value: true }]
    if (!isLast) excluded = [...excluded, { condition, value: false }]
    const representative = (isLast ? group.at(-1) : group[0]) as Case
    return representative.results.map(({ path, exit }) => ({ path: withAssumptions(path, assumptions), exit }))
  })
}

function conditionOf(group: readonly Case[], { assumptions }: PathState, { conditions }: RunContext): string {
  const cases = group.map((each) => each.assumptions)
  return toDistinctCondition(joinAssumptionCases(cases, conditions), assumptions)
}
