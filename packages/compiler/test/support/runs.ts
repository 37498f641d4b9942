/**
 * Whether property tests run their full number of times, as with `pnpm properties`. Otherwise they do not check that
 * the generated cases are varied enough.
 */
export const isWhole = process.env.KUBE_RULES_PROPERTIES === 'whole'

/**
 * Returns the number of runs of a slow property test: the full number with `pnpm properties`, and a third with `pnpm test`,
 * which must be fast. If `divisor` is given, `pnpm test` divides the number by it.
 */
export function runs(times: number, divisor = 3): number {
  return isWhole ? times : Math.ceil(times / divisor)
}

/** Returns the number of runs of a property test with slow cases: a tenth with `pnpm test`. */
export function fewRuns(times: number): number {
  return runs(times, 10)
}
