/**
 * Whether property tests run their full number of times, as with `pnpm properties`. Otherwise they do not check that
 * the generated cases are varied enough.
 */
export const isWhole = process.env.KUBE_RULES_PROPERTIES === 'whole'

/**
 * Returns the number of runs of a slow property test: the full number with `pnpm properties`, and a third with `pnpm test`,
 * which must be fast.
 */
export function runs(times: number): number {
  return runsOf(times, 3)
}

/** Returns the number of runs of a property test with slow cases: a tenth with `pnpm test`. */
export function fewRuns(times: number): number {
  return runsOf(times, 10)
}

function runsOf(times: number, share: number): number {
  return isWhole ? times : Math.ceil(times / share)
}
