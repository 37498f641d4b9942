/** Returns a record that maps each key to a value. `keys` must contain every member of `Key`. */
export function createRecord<Key extends string, Value>(
  keys: readonly Key[],
  makeValue: (key: Key, index: number) => Value,
): Record<Key, Value> {
  return Object.fromEntries(keys.map((key, index) => [key, makeValue(key, index)])) as Record<Key, Value>
}

/** Returns the keys of a record with the type of the keys. The record must have no other keys. */
export function keysOf<Key extends string>(record: Readonly<Record<Key, unknown>>): readonly Key[] {
  return Object.keys(record) as Key[]
}
