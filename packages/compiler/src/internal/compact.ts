/**
 * The items of a list that is kept, in no more room than they take: one that was appended to has room for 16 more. All
 * empty lists are one.
 */
export function compact<T>(list: readonly T[]): readonly T[] {
  return list.length === 0 ? EMPTY : list.slice()
}

const EMPTY: readonly never[] = []
