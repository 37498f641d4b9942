import { addToGroup } from '../../../internal/group-items.js'
import { elementAt, valueAt } from '../../../internal/known-items.js'
import type { Rule } from '../ast.js'

/** A rule of a chain. */
export interface ChainRule {
  /** The rule in normal form. */
  readonly rule: Rule
  /** A key that two rules share if and only if they are equivalent for the kernel. */
  readonly key: string
}

/** An expected rule of a chain. */
export interface ExpectedRule extends ChainRule {
  /** The owner; empty for a rule without owner. */
  readonly owner: string
  /** The group of the rule. The order of rules within a group is fixed. Empty for a rule without owner. */
  readonly group: string
}

/**
 * Returns the expected rules of a chain in a valid order. Of all valid orders, the result is the nearest to the actual
 * order.
 *
 * In a valid order, groups may be in any order, the rules of each group have their expected order, and rules without
 * owner stay before or after the groups. Two rules with the same key are interchangeable. A missing rule is inserted
 * next to its neighbor of the same group.
 */
export function alignChain(expected: readonly ExpectedRule[], actual: readonly ChainRule[]): readonly ExpectedRule[] {
  const sections = sectionsOf(expected)
  const present = presentBySection(expected, actual, sections)
  return sections.flatMap((section, index) => alignSection(expected, section, elementAt(present, index)))
}

/**
 * Returns the expected content of a chain that other programs also write to. The rules of these programs keep their
 * position.
 */
export function alignSharedChain(
  expected: readonly ExpectedRule[],
  actual: readonly ChainRule[],
): readonly ExpectedRule[] {
  const keys = new Set(expected.map(({ key }) => key))
  const present = new Set<string>()
  const staying = actual.filter(({ key }) => {
    if (!keys.has(key)) return true
    if (present.has(key)) return false
    present.add(key)
    return true
  })
  return [
    ...staying.map(({ rule, key }) => ({ rule, key, owner: '', group: '' })),
    ...expected.filter(({ key }) => !present.has(key)),
  ]
}

/** Consecutive rules: either all of them have a group, or none has. */
interface Section {
  readonly from: number
  readonly to: number
}

function sectionsOf(expected: readonly ExpectedRule[]): readonly Section[] {
  const sections: Section[] = []
  let from = 0
  for (let at = 1; at <= expected.length; at++) {
    if (at < expected.length && (groupAt(expected, at) === '') === (groupAt(expected, from) === '')) continue
    sections.push({ from, to: at })
    from = at
  }
  return sections
}

/**
 * Returns the indexes in `expected` of the rules that also exist in the actual chain. The result has one list per
 * section, in the order of the actual rules.
 */
function presentBySection(
  expected: readonly ExpectedRule[],
  actual: readonly ChainRule[],
  sections: readonly Section[],
): readonly (readonly number[])[] {
  const places = new Map<string, number[]>()
  for (let at = expected.length - 1; at >= 0; at--) addToGroup(places, elementAt(expected, at).key, at)
  const present = sections.map((): number[] => [])
  for (const { key } of actual) {
    const place = places.get(key)?.pop()
    if (place !== undefined) present[sections.findIndex(({ to }) => place < to)]?.push(place)
  }
  return present
}

function alignSection(
  expected: readonly ExpectedRule[],
  { from, to }: Section,
  present: readonly number[],
): readonly ExpectedRule[] {
  const ordered = inGroupOrder(expected, present)
  const isPresent = new Set(present)
  const first = new Map<string, number>()
  for (const place of ordered) if (!first.has(groupAt(expected, place))) first.set(groupAt(expected, place), place)
  const before = new Map<number, number[]>()
  const behind = new Map<number, number[]>()
  const last: number[] = []
  const neighbours = new Map<string, number>()
  for (let place = from; place < to; place++) {
    const group = groupAt(expected, place)
    const neighbour = neighbours.get(group)
    if (isPresent.has(place)) neighbours.set(group, place)
    else if (neighbour !== undefined) addToGroup(behind, neighbour, place)
    else if (first.has(group)) addToGroup(before, valueAt(first, group), place)
    else last.push(place)
  }
  const places = ordered.flatMap((place) => [...(before.get(place) ?? []), place, ...(behind.get(place) ?? [])])
  return [...places, ...last].map((place) => elementAt(expected, place))
}

/** Puts the rules of each group into their expected order. Each group keeps the positions that it has in the list. */
function inGroupOrder(expected: readonly ExpectedRule[], present: readonly number[]): readonly number[] {
  const byGroup = new Map<string, number[]>()
  for (const place of present) addToGroup(byGroup, groupAt(expected, place), place)
  for (const places of byGroup.values()) places.sort((a, b) => b - a)
  return present.map((place) => byGroup.get(groupAt(expected, place))?.pop() as number)
}

function groupAt(expected: readonly ExpectedRule[], place: number): string {
  return elementAt(expected, place).group
}
