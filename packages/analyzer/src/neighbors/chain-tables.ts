import type { IptablesTable } from './neighbor.js'
import { NEIGHBORS } from './neighbors.js'

const TABLES: readonly IptablesTable[] = ['nat', 'filter', 'mangle', 'raw']

/** Returns the only iptables table where a known program creates a chain with this name. */
export function tableOfNeighborChain(chain: string): IptablesTable | undefined {
  return TABLES.find((table) => NEIGHBORS.some(({ signs }) => signs.chains?.[table]?.test(chain) === true))
}
