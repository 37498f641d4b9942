/**
 * Returns a compact copy of a list for long-term storage. A list that was appended to has unused capacity for 16 more
 * items. All empty lists are shared.
 */
export function compactList<T>(list: readonly T[]): readonly T[] {
  return list.length === 0 ? EMPTY : list.slice()
}

const EMPTY: readonly never[] = []
