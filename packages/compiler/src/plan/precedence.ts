import type { Features } from '../model/configuration/features.js'
import type { Frontend } from './plan.js'

/** A service port that claims an address, port and protocol with one of its frontends. */
export interface RankedClaimant {
  /** Whether the claimant has lower precedence than other claimants, see `hasLowerPrecedence`. */
  readonly yields: boolean
  /** The index of the service port in the plan. */
  readonly place: number
}

/**
 * Returns the winner among the service ports that claim one address, port and protocol; undefined if there are none.
 *
 * Addresses of Services have precedence over node ports. Among claimants of the same kind, an earlier service port of
 * the plan has precedence; of several claimants of a service port, the first in `contenders` has. In kube-proxy, the
 * order of service ports is random. In ipvs mode, the order of Service addresses and node ports of different service
 * ports is also random.
 */
export function selectPreferredClaimant<C extends RankedClaimant>(contenders: Iterable<C>): C | undefined {
  let winner: C | undefined
  for (const contender of contenders) if (winner === undefined || goesBefore(contender, winner)) winner = contender
  return winner
}

/**
 * Reports whether a frontend has lower precedence than frontends with a Service address. This is true for node ports,
 * because they use the addresses of the node.
 */
export function hasLowerPrecedence({ kind }: Pick<Frontend, 'kind'>): boolean {
  return kind === 'nodePort'
}

/**
 * Sorts the frontends of one service port that have the same address and port, the winner first. kube-proxy writes
 * frontends in a fixed order, so the winner is not random.
 */
export function sortByPrecedence<F extends Pick<Frontend, 'kind'>>(
  frontends: readonly F[],
  { laterFrontendWins, nodePortsOverrideAddresses }: Pick<Features, 'laterFrontendWins' | 'nodePortsOverrideAddresses'>,
): readonly F[] {
  if (frontends.length < 2) return frontends
  const sorted = laterFrontendWins ? [...frontends].reverse() : frontends
  if (nodePortsOverrideAddresses) return sorted
  return [...sorted.filter((each) => !hasLowerPrecedence(each)), ...sorted.filter(hasLowerPrecedence)]
}

/** Reports whether the first claimant has precedence over the second. */
function goesBefore(one: RankedClaimant, other: RankedClaimant): boolean {
  return one.yields === other.yields ? one.place < other.place : other.yields
}
