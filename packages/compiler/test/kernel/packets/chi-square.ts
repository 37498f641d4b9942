/** Computes Pearson's statistic of counts with these expected shares. Default: equal shares. */
export function chiSquare(
  counts: readonly number[],
  shares: readonly number[] = counts.map(() => 1 / counts.length),
): number {
  const sum = counts.reduce((total, count) => total + count, 0)
  return counts.reduce((total, count, index) => {
    const expected = sum * (shares[index] ?? 0)
    return total + (count - expected) ** 2 / expected
  }, 0)
}

/**
 * The statistic of three counts exceeds this bound by chance once in 10^6 runs: with two degrees of freedom it exceeds
 * x with probability exp(-x / 2). Of 3,000 requests with the shares 1/2, 1/4, 1/4 it is 375 on average, with a standard
 * deviation of 37.
 */
export const BOUND_OF_THREE: number = 2 * Math.log(1e6)

/** A standard normal variable exceeds this value once in 10^6 times. */
const ONCE_IN_A_MILLION = 4.7534

/**
 * Computes a bound that the statistic of this number of counts exceeds about once in 10^6 runs, by the approximation of
 * Wilson and Hilferty.
 */
export function boundOf(counts: number): number {
  const freedom = counts - 1
  const spread = 2 / (9 * freedom)
  return freedom * (1 - spread + ONCE_IN_A_MILLION * Math.sqrt(spread)) ** 3
}
