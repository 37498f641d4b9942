/**
 * The one way to compute something when it is first asked for, and to keep it. What is kept of an object is kept beside it, for as
 * long as there is the object: nothing is hung on public data, and whoever copies, compares or writes an object finds every field.
 */
interface Memo {
  /** What the lazy fields of the object are computed of. */
  readonly source: unknown
  /** What was computed, by the function that computed it. */
  values: Map<unknown, unknown> | undefined
}

const MEMOS = new WeakMap<object, Memo>()

/** Returns a function that computes its value when first called, and keeps it, but not what it was computed from. */
export function lazily<T extends object>(compute: () => T): () => T {
  let waiting: (() => T) | undefined = compute
  let value: T | undefined
  return () => {
    value ??= waiting?.()
    waiting = undefined
    return value as T
  }
}

type FieldsOf = Readonly<Record<string, (source: never) => unknown>>

/** Fields that are computed of one source, each when it is first read. */
export type LazyFields<T extends FieldsOf> = { readonly [Name in keyof T]: ReturnType<T[Name]> }

/**
 * Returns a function that adds fields to a new object. They are computed of `source`, each when it is first read. All objects
 * share the getters: there may be hundreds of thousands. An object can have the fields of one such function.
 */
export function lazyFields<T extends FieldsOf>(
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
      const memo = MEMOS.get(this)
      return memo && valueIn(memo, compute as (source: unknown) => unknown, memo.source)
    },
  }
}

/** Returns what the lazy fields of an object are computed of; undefined for any other object. */
export function classifySource<Source>(object: object): Source | undefined {
  return MEMOS.get(object)?.source as Source | undefined
}

/** Returns the value of a lazy field, but does not keep it; undefined for an object without lazy fields. */
export function computeUncached<Source, Value>(object: object, compute: (source: Source) => Value): Value | undefined {
  const memo = MEMOS.get(object)
  if (memo === undefined) return undefined
  return (memo.values?.get(compute) ?? compute(memo.source as Source)) as Value
}

/** Returns the object, of which `memo` keeps what it computes from now on. It must not be changed any more. */
export function enableMemo<T extends object>(object: T): T {
  if (!MEMOS.has(object)) MEMOS.set(object, { source: undefined, values: undefined })
  return object
}

/**
 * Returns what `compute` says of an object: computed once for objects with lazy fields and those of `enableMemo`, each time for
 * others, which may be changed. It must be the same function each time, and depend on nothing else.
 */
export function memo<T extends object, Value>(object: T, compute: (object: T) => Value): Value {
  const kept = MEMOS.get(object)
  return kept === undefined ? compute(object) : valueIn(kept, compute, object)
}

function valueIn<Argument, Value>(kept: Memo, compute: (argument: Argument) => Value, argument: Argument): Value {
  kept.values ??= new Map()
  if (!kept.values.has(compute)) kept.values.set(compute, compute(argument))
  return kept.values.get(compute) as Value
}
