/** Returns the element at an index that is known to exist, which TypeScript cannot see in loops over several lists. */
export function elementAt<T>(list: ArrayLike<T>, index: number): T {
  return list[index] as T
}

/** Returns the value of a key that is known to exist. */
export function valueAt<Key, Value>(map: ReadonlyMap<Key, Value>, key: Key): Value {
  return map.get(key) as Value
}
