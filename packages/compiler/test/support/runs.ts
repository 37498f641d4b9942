/**
 * How often a law that takes long is tried: as often as that by `pnpm laws`, and a third as often by `pnpm test`, which has
 * to be done while somebody waits. Not for laws that count what they have met.
 */
export function runs(times: number): number {
  return process.env.KUBE_RULES_LAWS === 'whole' ? times : Math.ceil(times / 3)
}
