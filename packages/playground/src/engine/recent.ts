/** Values by what they are of, a list of texts and objects; the last few of them. */
export interface Recent<Value> {
  find(key: readonly unknown[]): Value | undefined
  set(key: readonly unknown[], value: Value): void
  /** What is there, or what `make` makes. */
  get(key: readonly unknown[], make: () => Value): Value
}

/** So many are remembered: now and before, of two modes or versions, with a dump. */
const MOST_KEPT = 6

/** Looks from the newest on: long texts that are the same object cost nothing to compare. */
export function createRecent<Value>(): Recent<Value> {
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
