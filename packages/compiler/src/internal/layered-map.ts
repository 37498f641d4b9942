/**
 * An immutable map: `base`, which many maps share, with some `changes`. An undefined value in `changes` removes an
 * entry of `base`. The cost of a modified map depends only on the recent changes, not on the number of entries.
 */
export interface LayeredMap<Value> {
  readonly base: ReadonlyMap<string, Value>
  readonly changes: ReadonlyMap<string, Value | undefined>
}

export const EMPTY_MAP: LayeredMap<never> = { base: new Map<string, never>(), changes: new Map<string, never>() }

export function getValue<Value>({ base, changes }: LayeredMap<Value>, key: string): Value | undefined {
  return changes.has(key) ? changes.get(key) : base.get(key)
}

/** The maximum number of changes. More changes are merged into a copy of `base`. */
const FEW = 500

/** Returns the map with the values in `values` for their keys. The value undefined removes a key. */
export function withValues<Value>(
  { base, changes }: LayeredMap<Value>,
  values: ReadonlyMap<string, Value | undefined>,
): LayeredMap<Value> {
  const all = changes.size === 0 ? values : new Map([...changes, ...values])
  return all.size <= FEW ? { base, changes: all } : { base: merged(base, all), changes: EMPTY_MAP.changes }
}

function merged<Value>(
  base: ReadonlyMap<string, Value>,
  changes: ReadonlyMap<string, Value | undefined>,
): ReadonlyMap<string, Value> {
  const result = new Map(base)
  for (const [key, value] of changes) {
    if (value === undefined) result.delete(key)
    else result.set(key, value)
  }
  return result
}
