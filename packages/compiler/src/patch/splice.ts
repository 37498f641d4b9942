import { isDeepEqual } from '../internal/plain-data.js'

/** The replacement of items at one position of a list. */
export interface Splice {
  /**
   * The index of the first removed item in the old list. If no items are removed, this is the index of the item before
   * which the new items are inserted.
   */
  readonly at: number
  /** The removed items, in the order of the list; empty if items are only inserted. */
  readonly removed: readonly unknown[]
  /** The inserted items, in the order of the list; empty if items are only removed. */
  readonly inserted: readonly unknown[]
}

/** Applies splices to a list. Throws if the removed items do not match. */
export function applySplices(list: readonly unknown[], splices: readonly Splice[]): readonly unknown[] {
  const result: unknown[] = []
  let from = 0
  for (const { at, removed, inserted } of splices) {
    const end = at + removed.length
    if (at < from || at > list.length || !isDeepEqual(list.slice(at, end), removed)) {
      throw new Error(`The patch does not fit the state: other items are at ${at}`)
    }
    for (; from < at; from++) result.push(list[from])
    for (const item of inserted) result.push(item)
    from = end
  }
  for (; from < list.length; from++) result.push(list[from])
  return result
}

/** Returns the inverse splices. */
export function invertSplices(splices: readonly Splice[]): readonly Splice[] {
  let shift = 0
  return splices.map(({ at, removed, inserted }) => {
    const inverse = { at: at + shift, removed: inserted, inserted: removed }
    shift += inserted.length - removed.length
    return inverse
  })
}

/**
 * Returns the splices without their removals. The insertions must be applied before the removals. Each insertion puts
 * its items before the items that will be removed.
 */
export function insertionsOf(splices: readonly Splice[]): readonly Splice[] {
  return splices.filter(({ inserted }) => inserted.length > 0).map((splice) => ({ ...splice, removed: [] }))
}

/**
 * Returns the splices without their insertions. The indexes refer to the list after the splices of `insertionsOf` were
 * applied.
 */
export function removalsOf(splices: readonly Splice[]): readonly Splice[] {
  let shift = 0
  const shifted = splices.map(({ at, removed, inserted }) => {
    shift += inserted.length
    return { at: at + shift, removed, inserted: [] }
  })
  return shifted.filter(({ removed }) => removed.length > 0)
}
