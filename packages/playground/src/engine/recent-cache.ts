/** A small cache of recent values; the key is a list of texts and objects. */
export interface RecentCache<Value> {
  find(key: readonly unknown[]): Value | undefined
  set(key: readonly unknown[], value: Value): void
  /** Returns the cached value, or the result of `make`. */
  get(key: readonly unknown[], make: () => Value): Value
}

/** The number of cached values: current and earlier objects, two modes or versions, and a dump. */
const MOST_KEPT = 6

/**
 * Creates a cache that searches its entries from the newest to the oldest. Comparing keys with long texts is fast,
 * because equal texts are usually the identical string.
 */
export function createRecentCache<Value>(): RecentCache<Value> {
  const kept: { readonly key: readonly unknown[]; readonly value: Value }[] = []
  const placeOf = (key: readonly unknown[]) => kept.findIndex((each) => isSame(each.key, key))
  const set = (key: readonly unknown[], value: Value) => {
    const place = placeOf(key)
    if (place >= 0) kept.splice(place, 1)
    kept.unshift({ key, value })
    kept.length = Math.min(kept.length, MOST_KEPT)
  }
  const find = (key: readonly unknown[]) => kept[placeOf(key)]?.value
  return {
    find,
    set,
    get: (key, make) => {
      const value = find(key) ?? make()
      set(key, value)
      return value
    },
  }
}

function isSame(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((each, index) => each === b[index])
}
