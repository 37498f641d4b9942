/**
 * Returns a compact copy of a list for long-term storage. After items are appended, a list has unused capacity for
 * about 16 more items. All empty lists are the same object.
 */
export function compactList<T>(list: readonly T[]): readonly T[] {
  return list.length === 0 ? EMPTY : list.slice()
}

const EMPTY: readonly never[] = []
