import type { EvaluationContext } from '@kube-rules/compiler/internal/dataplane/netfilter/evaluation-context'
import { createPacketKey } from '@kube-rules/compiler/internal/dataplane/netfilter/kernel-packet'
import type { Ternary } from '@kube-rules/compiler/internal/dataplane/netfilter/ternary'
import { complementOf, type Fraction, formatFraction } from '@kube-rules/compiler/internal/internal/fraction'
import { elementAt } from '@kube-rules/compiler/internal/internal/known-items'
import { toDistinctCondition } from './assumptions.js'
import { type ChainResult, endPathAsUnknown, TOO_MANY_PATHS } from './chain-result.js'
import { assumeLocality, withPathAssumptions } from './locality.js'
import { partitionBySource } from './partition-by-source.js'
import { type PathState, scaleWeight, spendChoices, withAssumption } from './path-state.js'
import { type RuleOutcome, toChainResults, type UnevaluatedRule } from './unevaluated-rule.js'

/** The condition that a rule matches. */
export interface RuleCondition {
  /** Returns the result of the match on a path, or its probability. */
  readonly holdsOn: (branch: PathState) => Ternary | Fraction
  /** Formats the assumption that the rule matches, for a rule that cannot be evaluated: `iptables nat -A … matches`. */
  readonly question: () => string
  readonly facts: EvaluationContext
  /** The end of a matching path, if the rule has no effect other than ending the path. Absent for other rules. */
  readonly end?: Omit<UnevaluatedRule, 'question'> | undefined
}

type Take = (branch: PathState) => readonly ChainResult[]

/** Forks a path by a condition. Matching paths continue with `take`. All other paths continue at the next rule. */
export function forkByCondition(condition: RuleCondition, branch: PathState, take: Take): RuleOutcome {
  if (branch.packet.equivalents === undefined) return forkByResult(condition, branch, condition.holdsOn(branch), take)
  const parts = partitionBySource(branch, condition.holdsOn, textOf)
  const [only] = parts
  if (parts.length === 1 && only !== undefined) return forkByResult(condition, only.path, only.matches, take)
  return parts.flatMap(({ path, matches }) => toChainResults(forkByResult(condition, path, matches, take), path))
}

function textOf(result: Ternary | Fraction): string {
  return typeof result === 'string' ? result : formatFraction(result)
}

/** Forks the path of an individual packet by a condition whose result is known. */
export function forkByResult(
  condition: RuleCondition,
  branch: PathState,
  result: Ternary | Fraction,
  take: Take,
): RuleOutcome {
  if (result === 'no') return 'passed'
  if (result === 'yes') return take(branch)
  if (result !== 'unknown') return forkByChance(result, branch, take)
  if (branch.packet.equivalents !== undefined) return runOnSources(branch, take)
  const parted = partByAddress(condition, branch)
  if (parted === undefined && condition.end !== undefined) {
    if (branch.budget.rules-- <= 0) return [endPathAsUnknown(branch, TOO_MANY_PATHS)]
    return { ...condition.end, question: condition.question }
  }
  if (branch.budget.forks-- <= 0) return [endPathAsUnknown(branch, TOO_MANY_PATHS)]
  if (parted !== undefined)
    return parted.flatMap((path) => toChainResults(forkByCondition(condition, path, take), path))
  return runWhereUnknown(condition, branch, take)
}

/** Forks a path by a random choice that has the probability `chance`. */
export function forkByChance(chance: Fraction, branch: PathState, take: Take): readonly ChainResult[] {
  const rest = complementOf(chance)
  if (rest.numerator === 0) return take(branch)
  const passed: ChainResult = { branch: scaleWeight(branch, rest), exit: 'rule' }
  if (chance.numerator === 0) return [passed]
  if (!spendChoices(branch, 1)) return [endPathAsUnknown(branch, TOO_MANY_PATHS)]
  const taken = take(scaleWeight(branch, chance))
  // A literal list is faster to create than a list with a spread element, and a pool may have thousands of endpoints.
  return taken.length === 1 ? [elementAt(taken, 0), passed] : [...taken, passed]
}

/**
 * Forks a path by whether an address is local, if this makes the condition known. The address is the destination or, if
 * the destination does not help, the source. Users can check an address more easily than a rule match. Undefined if
 * neither address decides the condition.
 */
function partByAddress({ holdsOn, facts }: RuleCondition, branch: PathState): readonly PathState[] | undefined {
  const { isLocal } = withPathAssumptions(branch, facts)
  for (const address of [branch.packet.destination, branch.packet.source]) {
    if (isLocal(address) !== 'unknown') continue
    const parted = [assumeLocality(branch, address, true), assumeLocality(branch, address, false)]
    if (parted.some((path) => holdsOn(path) !== 'unknown')) return parted
  }
  return undefined
}

/** Forks a path on an unknown condition. If a match would leave the path unchanged, the path is not forked. */
function runWhereUnknown({ question }: RuleCondition, branch: PathState, take: Take): readonly ChainResult[] {
  const what = toDistinctCondition(question(), branch.assumptions)
  const taken = take(withAssumption(branch, what, true))
  const key = createPacketKey(branch.packet)
  const isSame = taken.every((ran) => ran.exit === 'rule' && createPacketKey(ran.branch.packet) === key)
  if (isSame) {
    branch.budget.forks++
    return [{ branch, exit: 'rule' }]
  }
  return [...taken, { branch: withAssumption(branch, what, false), exit: 'rule' }]
}

/** Follows packets of several sources both with and without a match. Each source is traced individually afterwards. */
function runOnSources(branch: PathState, take: Take): readonly ChainResult[] {
  if (branch.budget.forks-- <= 0) return [endPathAsUnknown(branch, TOO_MANY_PATHS)]
  const isKnown = branch.assumptions.some(({ condition }) => condition === UNDECIDED)
  const path = isKnown ? branch : withAssumption(branch, UNDECIDED, true)
  return [...take(path), { branch: path, exit: 'rule' }]
}

const UNDECIDED = 'a rule cannot be evaluated'
