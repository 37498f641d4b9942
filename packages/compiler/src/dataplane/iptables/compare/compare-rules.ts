import { appendAll } from '../../../internal/append-all.js'
import { isDeepEqual } from '../../../internal/plain-data.js'
import { diffLists } from '../../../patch/diff-lists.js'
import type { Rule, Target } from '../ast.js'
import type { ChainRule, ExpectedRule } from './align-chain.js'

/** One difference between expected and actual rules. `Actual` is the type of an actual rule. */
export type RuleDifference<Actual extends ChainRule> =
  | { readonly kind: 'missing' | 'misplaced'; readonly expected: ExpectedRule }
  | { readonly kind: 'extra'; readonly found: Actual }
  | { readonly kind: 'changed'; readonly expected: ExpectedRule; readonly found: Actual }

/** Reports whether only one owner can have rules with the target. */
export type SingleOwnerPredicate = (target: Target) => boolean

/** Returns the changes that turn the actual rules of a chain into `target`, in chain order. */
export function compareRules<Actual extends ChainRule>(
  actual: readonly Actual[],
  target: readonly ExpectedRule[],
  isOfOne: SingleOwnerPredicate,
): readonly RuleDifference<Actual>[] {
  const differences: RuleDifference<Actual>[] = []
  for (const { removed, inserted } of gapsBetween(actual, target))
    appendAll(differences, pairUp(removed, inserted, isOfOne))
  return withMoves(differences)
}

interface Gap<Actual> {
  readonly removed: readonly Actual[]
  readonly inserted: readonly ExpectedRule[]
}

function gapsBetween<Actual extends ChainRule>(
  actual: readonly Actual[],
  target: readonly ExpectedRule[],
): readonly Gap<Actual>[] {
  let shift = 0
  return diffLists(keysOf(actual), keysOf(target)).map(({ at, removed, inserted }) => {
    const start = at + shift
    shift += inserted.length - removed.length
    return {
      removed: actual.slice(at, at + removed.length),
      inserted: target.slice(start, start + inserted.length),
    }
  })
}

function keysOf(rules: readonly ChainRule[]): readonly string[] {
  return rules.map(({ key }) => key)
}

/**
 * Pairs each missing rule with the first extra rule that is a modified version of the missing rule. Both rules must be
 * between the same unchanged neighbors.
 */
function pairUp<Actual extends ChainRule>(
  removed: readonly Actual[],
  inserted: readonly ExpectedRule[],
  isOfOne: SingleOwnerPredicate,
): readonly RuleDifference<Actual>[] {
  const differences: RuleDifference<Actual>[] = []
  let next = 0
  for (const expected of inserted) {
    const distance = removed
      .slice(next, next + MAX_DISTANCE)
      .findIndex((found) => isAlike(expected.rule, found.rule, isOfOne))
    const candidate = removed[next + distance]
    if (distance < 0 || candidate === undefined) {
      differences.push({ kind: 'missing', expected })
      continue
    }
    differences.push(...removed.slice(next, next + distance).map(extra), {
      kind: 'changed',
      expected,
      found: candidate,
    })
    next += distance + 1
  }
  return [...differences, ...removed.slice(next).map(extra)]
}

/**
 * The maximum number of extra rules that are examined for each missing rule. Without a maximum, the comparison of a
 * completely changed chain would take quadratic time.
 */
const MAX_DISTANCE = 8

function extra<Actual extends ChainRule>(found: Actual): RuleDifference<Actual> {
  return { kind: 'extra', found }
}

/**
 * Reports whether one rule is a modified version of the other rule. Either the matches of both rules are equal, or both
 * rules have the same target, and also the same owner or comment.
 */
function isAlike(expected: Rule, found: Rule, isOfOne: SingleOwnerPredicate): boolean {
  if (isDeepEqual(expected.matches, found.matches)) return true
  if (expected.target === undefined || !isDeepEqual(expected.target, found.target)) return false
  return isOfOne(expected.target) || commentOf(expected) === commentOf(found)
}

function commentOf({ matches }: Rule): string | undefined {
  const comment = matches.find((match) => match.kind === 'comment')
  return comment?.kind === 'comment' ? comment.text : undefined
}

/** Combines a missing and an extra rule into a moved rule if the two rules are equal. */
function withMoves<Actual extends ChainRule>(
  differences: readonly RuleDifference<Actual>[],
): readonly RuleDifference<Actual>[] {
  const missing = new Map<string, number>()
  for (const each of differences) if (each.kind === 'missing') count(missing, each.expected.key, 1)
  const moved = new Map<string, number>()
  const rest = differences.filter((each) => {
    if (each.kind !== 'extra') return true
    const { key } = each.found
    if ((missing.get(key) ?? 0) <= (moved.get(key) ?? 0)) return true
    count(moved, key, 1)
    return false
  })
  return rest.map((each) => {
    if (each.kind !== 'missing' || (moved.get(each.expected.key) ?? 0) === 0) return each
    count(moved, each.expected.key, -1)
    return { kind: 'misplaced', expected: each.expected }
  })
}

function count(counts: Map<string, number>, key: string, by: number): void {
  counts.set(key, (counts.get(key) ?? 0) + by)
}
