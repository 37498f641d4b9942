/**
 * A cache of lazily computed values, in private fields of an object. Copies, comparisons and JSON of the object do not
 * see private fields, so public data has no other hidden properties. A WeakMap would have the same effect, but its
 * entries take twenty times as long to add, and slow down garbage collections.
 */
class Memo extends (returnObject as unknown as new (object: object) => object) {
  /** The input of the lazy fields of the object. */
  readonly #source: unknown
  /** The computed values, by the function that computed the value. */
  #values: Map<unknown, unknown> | undefined

  /** Adds the private fields to `object`, because the base constructor returns `object` instead of a new object. */
  constructor(object: object, source?: unknown) {
    super(object)
    this.#source = source
  }

  static source(object: object): unknown {
    return #source in object ? object.#source : undefined
  }

  static compute<Argument>(object: object, compute: (argument: Argument) => unknown, argument: Argument): unknown {
    if (!(#values in object)) return compute(argument)
    object.#values ??= new Map()
    const values = object.#values
    if (!values.has(compute)) values.set(compute, compute(argument))
    return values.get(compute)
  }
}

function returnObject(object: object): object {
  return object
}

/**
 * Returns a function that computes its value on the first call and caches the value. After the computation, the
 * function releases the inputs.
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

/** The types of fields that are computed from one source, each on first access. */
export type LazyFields<T extends FieldsOf> = { readonly [Name in keyof T]: ReturnType<T[Name]> }

/**
 * Returns a function that adds fields to a new object. Each field is computed from `source` on first access. All
 * objects share the getters, because there may be hundreds of thousands of objects. An object can be passed to only one
 * function of this kind.
 */
export function createLazyFieldAdder<T extends FieldsOf>(
  compute: T,
): <Fields extends object>(fields: Fields, source: Parameters<T[keyof T]>[0]) => Fields & LazyFields<T> {
  const properties = Object.entries(compute).map(([name, find]) => ({ name, property: lazyProperty(find) }))
  return (fields, source) => {
    new Memo(fields, source)
    for (const { name, property } of properties) Object.defineProperty(fields, name, property)
    return fields as typeof fields & LazyFields<T>
  }
}

function lazyProperty(compute: (source: never) => unknown): PropertyDescriptor {
  return {
    enumerable: true,
    get(this: object): unknown {
      const source = Memo.source(this)
      return source && Memo.compute(this, compute, source as never)
    },
  }
}

/** Returns the source of the lazy fields of an object. Returns undefined for an object without lazy fields. */
export function lazySourceOf<Source>(object: object): Source | undefined {
  return Memo.source(object) as Source | undefined
}

/**
 * Enables `memoize` to cache values for a new object, and returns the object. The object must not be changed
 * afterwards.
 */
export function enableMemo<T extends object>(object: T): T {
  new Memo(object)
  return object
}

/**
 * Returns the result of `compute` for an object. The result is cached only for objects with lazy fields and for objects
 * passed to `enableMemo`, because any other object may change. `compute` must be the same function each time, and its
 * result must depend only on the object.
 */
export function memoize<T extends object, Value>(object: T, compute: (object: T) => Value): Value {
  return Memo.compute(object, compute, object) as Value
}
