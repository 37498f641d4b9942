import type { Frontend } from './plan.js'

/** A claimant of an address, port and protocol for a frontend. */
export interface RankedClaimant {
  /** Whether it has lower precedence, see `yields`. */
  readonly yields: boolean
  /** The index of the service port in the plan. */
  readonly place: number
}

/**
 * Returns the winner among claimants of one address, port and protocol; undefined without claimants.
 *
 * Addresses of Services have precedence over node ports; then earlier service ports of the plan, then earlier frontends
 * of a service port. In kube-proxy, the order of service ports is random, and in mode ipvs also that of addresses and
 * node ports.
 */
export function selectWinner<C extends RankedClaimant>(contenders: Iterable<C>): C | undefined {
  let winner: C | undefined
  for (const contender of contenders) if (winner === undefined || goesBefore(contender, winner)) winner = contender
  return winner
}

/**
 * Reports whether a frontend has lower precedence than frontends with a Service address: a node port, which uses the
 * addresses of the node.
 */
export function hasLowerPrecedence({ kind }: Pick<Frontend, 'kind'>): boolean {
  return kind === 'nodePort'
}

/** Reports whether the first claimant has precedence over the second. */
function goesBefore(one: RankedClaimant, other: RankedClaimant): boolean {
  return one.yields === other.yields ? one.place < other.place : other.yields
}
