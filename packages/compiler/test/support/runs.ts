/** Whether laws are tried as often as they say, as by `pnpm laws`. What generated cases have to be among is asserted then. */
export const isWhole = process.env.KUBE_RULES_LAWS === 'whole'

/**
 * How often a law that takes long is tried: as often as that by `pnpm laws`, and a third as often by `pnpm test`, which has
 * to be done while somebody waits.
 */
export function runs(times: number): number {
  return runsOf(times, 3)
}

/** The same of a law of which every case takes long: a tenth as often by `pnpm test`. */
export function fewRuns(times: number): number {
  return runsOf(times, 10)
}

function runsOf(times: number, share: number): number {
  return isWhole ? times : Math.ceil(times / share)
}
