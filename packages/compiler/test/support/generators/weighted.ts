import fc from 'fast-check'

/** A weight and what it weighs: in so many of all the cases together. */
export type Weighted<T> = readonly [weight: number, value: T]

/** One of the values, each as often as its weight says. */
export function oneOf<T>(...choices: readonly Weighted<T>[]): fc.Arbitrary<T> {
  return anyOf(...choices.map(([weight, value]): Weighted<fc.Arbitrary<T>> => [weight, fc.constant(value)]))
}

/** What one of the generators makes, each as often as its weight says. */
export function anyOf<T>(...choices: readonly Weighted<fc.Arbitrary<T>>[]): fc.Arbitrary<T> {
  return fc.oneof(...choices.map(([weight, arbitrary]) => ({ weight, arbitrary })))
}

/** As many of the items as `sizes` says, in their order. */
export function someOf<T>(items: readonly T[], ...sizes: readonly Weighted<number>[]): fc.Arbitrary<readonly T[]> {
  return anyOf(
    ...sizes.map(([weight, size]): Weighted<fc.Arbitrary<T[]>> => {
      const length = Math.min(size, items.length)
      return [weight, fc.subarray([...items], { minLength: length, maxLength: length })]
    }),
  )
}
