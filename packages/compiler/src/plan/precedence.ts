import type { Frontend } from './plan.js'

/** A frontend of a service port that claims an address, port and protocol. */
export interface RankedClaimant {
  /** Whether the claimant has lower precedence than other claimants, see `hasLowerPrecedence`. */
  readonly yields: boolean
  /** The index of the service port in the plan. */
  readonly place: number
}

/**
 * Returns the winner among the claimants of one address, port and protocol; undefined if there are no claimants.
 *
 * Addresses of Services have precedence over node ports. Among claimants of the same kind, an earlier service port of
 * the plan has precedence; within a service port, an earlier frontend has precedence. In kube-proxy, the order of
 * service ports is random. In ipvs mode, the order of Service addresses and node ports is also random.
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

/** Reports whether the first claimant has precedence over the second. */
function goesBefore(one: RankedClaimant, other: RankedClaimant): boolean {
  return one.yields === other.yields ? one.place < other.place : other.yields
}
