/**
 * The cache of lazily computed values of one object. Caches are stored in a WeakMap, so public data has no hidden
 * properties: copies, comparisons and JSON of an object see every field.
 */
interface Memo {
  /** The input of the lazy fields of the object. */
  readonly source: unknown
  /** The computed values, by the function that computed each. */
  values: Map<unknown, unknown> | undefined
}

const MEMOS = new WeakMap<object, Memo>()

/**
 * Returns a function that computes its value on the first call and caches it. It releases the inputs of the
 * computation.
 */
export function createLazyGetter<T extends object>(compute: () => T): () => T {
  let waiting: (() => T) | undefined = compute
  let value: T | undefined
  return () => {
    value ??= waiting?.()
    waiting = undefined
    return value as T
  }
}

type FieldsOf = Readonly<Record<string, (source: never) => unknown>>

/** Fields that are computed from one source, each on first access. */
export type LazyFields<T extends FieldsOf> = { readonly [Name in keyof T]: ReturnType<T[Name]> }

/**
 * Returns a function that adds fields to a new object. Each is computed from `source` on first access. All objects
 * share the getters, because there may be hundreds of thousands of objects. An object can have the fields of only one
 * such function.
 */
export function createLazyFieldAdder<T extends FieldsOf>(
  compute: T,
): <Fields extends object>(fields: Fields, source: Parameters<T[keyof T]>[0]) => Fields & LazyFields<T> {
  const properties = Object.entries(compute).map(([name, find]) => [name, lazyProperty(find)] as const)
  return (fields, source) => {
    MEMOS.set(fields, { source, values: undefined })
    for (const [name, property] of properties) Object.defineProperty(fields, name, property)
    return fields as typeof fields & LazyFields<T>
  }
}

function lazyProperty(compute: (source: never) => unknown): PropertyDescriptor {
  return {
    enumerable: true,
    get(this: object): unknown {
      const memoize = MEMOS.get(this)
      return memoize && valueIn(memoize, compute as (source: unknown) => unknown, memoize.source)
    },
  }
}

/** Returns the input of the lazy fields of an object; undefined for any other object. */
export function lazySourceOf<Source>(object: object): Source | undefined {
  return MEMOS.get(object)?.source as Source | undefined
}

/** Returns the value of a lazy field without caching it; undefined for an object without lazy fields. */
export function computeWithoutCache<Source, Value>(
  object: object,
  compute: (source: Source) => Value,
): Value | undefined {
  const memoize = MEMOS.get(object)
  if (memoize === undefined) return undefined
  return (memoize.values?.get(compute) ?? compute(memoize.source as Source)) as Value
}

/** Returns the object after enabling `memo` to cache values for it. The object must not be changed afterwards. */
export function enableMemo<T extends object>(object: T): T {
  if (!MEMOS.has(object)) MEMOS.set(object, { source: undefined, values: undefined })
  return object
}

/**
 * Returns the result of `compute` for an object. The result is cached only for objects with lazy fields and for objects
 * of `enableMemo`, because any other object may change. `compute` must be the same function each time, and depend on
 * nothing else.
 */
export function memoize<T extends object, Value>(object: T, compute: (object: T) => Value): Value {
  const kept = MEMOS.get(object)
  return kept === undefined ? compute(object) : valueIn(kept, compute, object)
}

function valueIn<Argument, Value>(kept: Memo, compute: (argument: Argument) => Value, argument: Argument): Value {
  kept.values ??= new Map()
  if (!kept.values.has(compute)) kept.values.set(compute, compute(argument))
  return kept.values.get(compute) as Value
}
