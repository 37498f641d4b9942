/**
 * An immutable map: `base`, which many maps share, with some `changes`. An undefined value in `changes` removes an
 * entry of `base`. The cost of a modified map depends only on the recent changes, not on the number of entries.
 */
export interface LayeredMap<Value, Key = string> {
  readonly base: ReadonlyMap<Key, Value>
  readonly changes: ReadonlyMap<Key, Value | undefined>
}

export const EMPTY_MAP: LayeredMap<never, never> = { base: new Map<never, never>(), changes: new Map<never, never>() }

export function getValue<Value, Key>({ base, changes }: LayeredMap<Value, Key>, key: Key): Value | undefined {
  return changes.has(key) ? changes.get(key) : base.get(key)
}

/** Returns the maximum number of changes. More changes are merged into a copy of `base`. */
function maxChanges(base: ReadonlyMap<unknown, unknown>): number {
  return Math.max(500, base.size / 32)
}

/** Returns the map with the values in `values` for their keys. The value undefined removes a key. */
export function withValues<Value, Key>(
  { base, changes }: LayeredMap<Value, Key>,
  values: ReadonlyMap<Key, Value | undefined>,
): LayeredMap<Value, Key> {
  const all = changes.size === 0 ? values : new Map([...changes, ...values])
  return all.size <= maxChanges(base) ? { base, changes: all } : { base: merged(base, all), changes: EMPTY_MAP.changes }
}

function merged<Value, Key>(
  base: ReadonlyMap<Key, Value>,
  changes: ReadonlyMap<Key, Value | undefined>,
): ReadonlyMap<Key, Value> {
  const result = new Map(base)
  for (const [key, value] of changes) {
    if (value === undefined) result.delete(key)
    else result.set(key, value)
  }
  return result
}
