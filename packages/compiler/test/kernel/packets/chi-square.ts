/** Pearson's statistic of counts that are meant to be equal. */
export function chiSquare(counts: readonly number[]): number {
  const expected = counts.reduce((sum, count) => sum + count, 0) / counts.length
  return counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0)
}

/**
 * What the statistic of three counts exceeds by chance once in 10^6 runs: with two degrees of freedom it exceeds x with
 * probability exp(-x / 2). Of 3,000 requests with the shares 1/2, 1/4, 1/4 it is 375 on average, with a standard
 * deviation of 37.
 */
export const BOUND_OF_THREE: number = 2 * Math.log(1e6)
