import fc from 'fast-check'

/** A value with its weight, relative to all weights. */
export type Weighted<T> = readonly [weight: number, value: T]

/** Generates one of the values with the given weights. */
export function oneOf<T>(...choices: readonly Weighted<T>[]): fc.Arbitrary<T> {
  return anyOf(...choices.map(([weight, value]): Weighted<fc.Arbitrary<T>> => [weight, fc.constant(value)]))
}

/** Generates a value of one of the generators with the given weights. */
export function anyOf<T>(...choices: readonly Weighted<fc.Arbitrary<T>>[]): fc.Arbitrary<T> {
  return fc.oneof(...choices.map(([weight, arbitrary]) => ({ weight, arbitrary })))
}

/** Generates an ordered subset of the items with one of the given sizes. */
export function someOf<T>(items: readonly T[], ...sizes: readonly Weighted<number>[]): fc.Arbitrary<readonly T[]> {
  return anyOf(
    ...sizes.map(([weight, size]): Weighted<fc.Arbitrary<T[]>> => {
      const length = Math.min(size, items.length)
      return [weight, fc.subarray([...items], { minLength: length, maxLength: length })]
    }),
  )
}
