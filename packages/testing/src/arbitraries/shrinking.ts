import fc from 'fast-check'

/**
 * Generates the values of `drawn`, which shrink to the values that `simplify` returns, in this order. A generator made
 * with `chain` draws its values again when their source shrinks, and so loses the counterexample. This one keeps it.
 */
export function shrinkingBy<T>(drawn: fc.Arbitrary<T>, simplify: (value: T) => Iterable<T>): fc.Arbitrary<T> {
  return new Shrinking(drawn, simplify)
}

class Shrinking<T> extends fc.Arbitrary<T> {
  readonly #drawn: fc.Arbitrary<T>
  readonly #simplify: (value: T) => Iterable<T>

  constructor(drawn: fc.Arbitrary<T>, simplify: (value: T) => Iterable<T>) {
    super()
    this.#drawn = drawn
    this.#simplify = simplify
  }

  override generate(random: fc.Random, biasFactor: number | undefined): fc.Value<T> {
    return this.#drawn.generate(random, biasFactor)
  }

  override canShrinkWithoutContext(_value: unknown): _value is T {
    return false
  }

  override shrink(value: T): fc.Stream<fc.Value<T>> {
    return fc.stream(valuesOf(this.#simplify(value)))
  }
}

function* valuesOf<T>(simpler: Iterable<T>): IterableIterator<fc.Value<T>> {
  for (const value of simpler) yield new fc.Value(value, undefined)
}

/** Returns the empty list, and the lists without one of the items. */
export function* shorterLists<T>(list: readonly T[]): Generator<readonly T[]> {
  if (list.length > 1) yield []
  for (const index of list.keys()) yield [...list.slice(0, index), ...list.slice(index + 1)]
}

/** Returns the lists with a simpler value of one of the items. */
export function* simplerItems<T>(list: readonly T[], simplify: (item: T) => Iterable<T>): Generator<readonly T[]> {
  for (const [index, item] of list.entries()) {
    for (const simpler of simplify(item)) yield [...list.slice(0, index), simpler, ...list.slice(index + 1)]
  }
}

/** Returns the objects without one of the fields, except those with the given names. */
export function* withoutFields<T extends object>(value: T, ...kept: readonly (keyof T)[]): Generator<T> {
  for (const key of Object.keys(value) as (keyof T)[]) {
    const { [key]: removed, ...rest } = value
    if (removed !== undefined && !kept.includes(key)) yield rest as T
  }
}
