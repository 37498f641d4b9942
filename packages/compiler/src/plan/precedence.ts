import type { Frontend } from './plan.js'

/** One who wants an address, port and protocol for a frontend. */
export interface Contender {
  /** See `yields`. */
  readonly yields: boolean
  /** The place of the service port among those of the plan. */
  readonly place: number
}

/**
 * Of those who want one address, port and protocol, the one that gets it; undefined where nobody does.
 *
 * Addresses of Services go before node ports, then earlier service ports of the plan before later ones, then earlier
 * frontends of a service port: of equal contenders the first wins. kube-proxy leaves the order of service ports to chance,
 * in mode ipvs that of addresses and node ports, too.
 */
export function winnerOf<C extends Contender>(contenders: Iterable<C>): C | undefined {
  let winner: C | undefined
  for (const contender of contenders) if (winner === undefined || goesBefore(contender, winner)) winner = contender
  return winner
}

/** Whether a frontend gives way to all that have an address of their own: a node port, which wants those of the node. */
export function yields({ kind }: Pick<Frontend, 'kind'>): boolean {
  return kind === 'nodePort'
}

/** Whether the one gets what the other wants, too. */
function goesBefore(one: Contender, other: Contender): boolean {
  return one.yields === other.yields ? one.place < other.place : other.yields
}
