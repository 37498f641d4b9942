/** One who wants an address, port and protocol for a frontend. */
export interface Contender {
  /** Whether the frontend is a node port, which wants the addresses of the node; otherwise it has an address of its own. */
  readonly isNodePort: boolean
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

/** Whether the one gets what the other wants, too. */
export function goesBefore(one: Contender, other: Contender): boolean {
  return one.isNodePort === other.isNodePort ? one.place < other.place : other.isNodePort
}
