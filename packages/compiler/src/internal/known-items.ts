/**
 * Returns the element at an index that exists. In loops over several lists, TypeScript cannot infer that the element
 * exists.
 */
export function elementAt<T>(list: ArrayLike<T>, index: number): T {
  return list[index] as T
}

/** Returns the value of a key that exists. */
export function valueAt<Key, Value>(map: ReadonlyMap<Key, Value>, key: Key): Value {
  return map.get(key) as Value
}
