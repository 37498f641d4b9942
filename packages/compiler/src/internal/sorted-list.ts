/** Negative, zero or positive, as for `Array.sort`. Items of one list are never equal to one another. */
export type Compare<T> = (a: T, b: T) => number

/** Items that take the place of others in a list. */
export interface Replacement<T> {
  /** In places of the list before. */
  readonly at: number
  /** How many items go. */
  readonly removed: number
  readonly added: readonly T[]
}

/**
 * What takes a sorted list to one without some of its items and with others, in any order: ascending. Each item costs a
 * search; those that stay are not looked at.
 */
export function replacementsIn<T extends Order, Order>(
  list: readonly T[],
  removed: readonly Order[],
  added: readonly T[],
  compare: Compare<Order>,
): readonly Replacement<T>[] {
  const byPlace = new Map<number, { removed: number; added: T[] }>()
  const replacementAt = (item: Order) => {
    const at = placeOf(list, (each) => compare(each, item))
    const replacement = byPlace.get(at) ?? { removed: 0, added: [] }
    byPlace.set(at, replacement)
    return replacement
  }
  for (const item of removed) replacementAt(item).removed = 1
  for (const item of [...added].sort(compare)) replacementAt(item).added.push(item)
  return Array.from(byPlace, ([at, replacement]) => ({ at, ...replacement })).sort((a, b) => a.at - b.at)
}

/** Up to this many items moving the rest of a copy is quicker than copying item by item. */
const FEW = 50

/** The list after replacements. */
export function replaceItems<T>(list: readonly T[], replacements: readonly Replacement<T>[]): readonly T[] {
  if (replacements.length === 0) return list
  const added = replacements.reduce((sum, replacement) => sum + replacement.added.length, 0)
  return Math.max(replacements.length, added) <= FEW ? replaceFew(list, replacements) : replaceMany(list, replacements)
}

function replaceFew<T>(list: readonly T[], replacements: readonly Replacement<T>[]): readonly T[] {
  const result = list.slice()
  for (const { at, removed, added } of [...replacements].reverse()) {
    if (removed !== added.length) result.splice(at, removed, ...added)
    else for (let index = 0; index < removed; index++) result[at + index] = added[index] as T
  }
  return result
}

function replaceMany<T>(list: readonly T[], replacements: readonly Replacement<T>[]): readonly T[] {
  const result: T[] = []
  let from = 0
  for (const { at, removed, added } of replacements) {
    for (; from < at; from++) result.push(list[from] as T)
    for (const item of added) result.push(item)
    from = at + removed
  }
  for (; from < list.length; from++) result.push(list[from] as T)
  return result
}

/** The same replacements in a list that has something else in each place. */
export function mapReplacements<T, U>(
  replacements: readonly Replacement<T>[],
  itemOf: (item: T) => U,
): readonly Replacement<U>[] {
  return replacements.map(({ at, removed, added }) => ({ at, removed, added: added.map(itemOf) }))
}

/** A sorted list without some of its items and with others, in any order. */
export function replaceSorted<T>(
  list: readonly T[],
  removed: readonly T[],
  added: readonly T[],
  compare: Compare<T>,
): readonly T[] {
  return replaceItems(list, replacementsIn(list, removed, added, compare))
}

/** The item of a sorted list to which `compare` says 0; it says a negative number to items before that one. */
export function findSorted<T>(list: readonly T[], compare: (item: T) => number): T | undefined {
  const item = list[placeOf(list, compare)]
  return item !== undefined && compare(item) === 0 ? item : undefined
}

/** The first place whose item is not smaller. */
function placeOf<T>(list: readonly T[], compare: (item: T) => number): number {
  let low = 0
  let high = list.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (compare(list[middle] as T) < 0) low = middle + 1
    else high = middle
  }
  return low
}
