import type { IptablesState } from '@kube-rules/compiler/internal/dataplane/iptables/ast'
import type { Neighbor } from '../neighbors/neighbor.js'
import { findNeighborsOfChains } from '../neighbors/recognize-rule.js'
import { userDefinedChainsOf } from './node-diagnosis-context.js'

/** Returns the programs with chains on the node that may serve Services in place of kube-proxy. */
export function findReplacements(iptables: IptablesState | undefined): readonly Neighbor[] {
  const tables = iptables?.tables ?? []
  const found = tables.flatMap((table) => findNeighborsOfChains(table.name, userDefinedChainsOf(table)))
  return [...new Set(found)].filter(({ replacement }) => replacement !== undefined)
}
