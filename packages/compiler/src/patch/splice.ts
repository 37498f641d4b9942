import { sameValue } from './resource.js'

/** One place of a list at which items give way to others. */
export interface Splice {
  /** The index of the first removed item, or of the item before which others are inserted, in the list before. */
  readonly at: number
  readonly removed: readonly unknown[]
  readonly inserted: readonly unknown[]
}

/** The list after the splices. Throws where their removed items are not what stands there. */
export function applySplices(list: readonly unknown[], splices: readonly Splice[]): readonly unknown[] {
  const result: unknown[] = []
  let from = 0
  for (const { at, removed, inserted } of splices) {
    const end = at + removed.length
    if (at < from || at > list.length || !sameValue(list.slice(at, end), removed)) {
      throw new Error(`The patch does not fit the state: other items stand at ${at}`)
    }
    for (; from < at; from++) result.push(list[from])
    for (const item of inserted) result.push(item)
    from = end
  }
  for (; from < list.length; from++) result.push(list[from])
  return result
}

/** The splices that undo these. */
export function invertSplices(splices: readonly Splice[]): readonly Splice[] {
  let shift = 0
  return splices.map(({ at, removed, inserted }) => {
    const inverse = { at: at + shift, removed: inserted, inserted: removed }
    shift += inserted.length - removed.length
    return inverse
  })
}

/** The first half of the splices: everything is inserted, before what is to be removed, and nothing is removed yet. */
export function insertionsOf(splices: readonly Splice[]): readonly Splice[] {
  return splices.filter(({ inserted }) => inserted.length > 0).map((splice) => ({ ...splice, removed: [] }))
}

/** The second half: what is removed, in the list as it is after the first half. */
export function removalsOf(splices: readonly Splice[]): readonly Splice[] {
  let shift = 0
  const shifted = splices.map(({ at, removed, inserted }) => {
    shift += inserted.length
    return { at: at + shift, removed, inserted: [] }
  })
  return shifted.filter(({ removed }) => removed.length > 0)
}
