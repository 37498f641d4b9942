import { negateLiteralIf, UNKNOWN } from '../../../program/literals.js'
import type { Literal } from '../../../program/program.js'
import { type ComparisonClause, needsOfKey } from './clause.js'
import type { PacketScope } from './comparison.js'
import { lowerComparison } from './lower-comparison.js'
import { fieldOf, lowerLookup, type SetLookup } from './lower-lookup.js'
import { lowerNeeds } from './lower-needs.js'

/** The packets of a lowered match, and the sets of the table. */
interface MatchScope extends PacketScope {
  readonly sets: SetLookup
}

/** Lowers a match. The first literals require the compared values. */
export function lowerMatch(comparison: ComparisonClause, scope: MatchScope): readonly Literal[] {
  return [...lowerNeeds(needsOfKey(comparison.left), scope), compare(comparison, scope)]
}

function compare(comparison: ComparisonClause, scope: MatchScope): Literal {
  const { left, mask, operator, right } = comparison
  if (right.kind === 'named') return compareWithSet(comparison, right.set, scope)
  const isEquality = operator === '==' || operator === '!='
  // The keys of a concatenation are looked up, if the packet has all values.
  if (left.length > 1 && mask === undefined && isEquality && left.every((part) => fieldOf(part) !== 'unknown')) {
    const elements = right.keys.map((key) => ({ key }))
    const lookup = lowerLookup({ key: left, map: { kind: 'anonymous', elements } }, scope, scope.sets)
    return negateLiteralIf(operator === '!=', { kind: 'lookup', ...lookup })
  }
  return lowerComparison(left, { mask, operator, keys: right.keys }, scope)
}

/** The maximum number of elements that are compared individually. */
const MAX_ELEMENTS = 64

function compareWithSet({ left, mask, operator }: ComparisonClause, name: string, scope: MatchScope): Literal {
  if (mask !== undefined || (operator !== '==' && operator !== '!=')) return UNKNOWN
  const set = scope.sets.find(name)
  const isDynamic = set?.flags?.includes('dynamic') === true
  if (set !== undefined && !isDynamic && set.elements.length <= MAX_ELEMENTS) {
    // A value that is not a field of the packet may be compared with each key.
    const keys = set.elements.map(({ key }) => key)
    if (left.some((part) => fieldOf(part) === 'unknown')) return lowerComparison(left, { operator, keys }, scope)
  }
  const lookup = lowerLookup({ key: left, map: { kind: 'named', set: name } }, scope, scope.sets)
  return negateLiteralIf(operator === '!=', { kind: 'lookup', ...lookup })
}
