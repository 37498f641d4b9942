import { findResourceOwners } from '@kube-rules/compiler/internal/dataplane/nftables/claims'
import type { NftablesState } from '@kube-rules/compiler/internal/dataplane/nftables/state'
import { isKubeProxyTable } from '@kube-rules/compiler/internal/targets/nftables/static-names'
import { annotateTableOwners } from './annotate-table.js'

/**
 * Returns the owners of chains and elements by id. A state with tables of other programs has no contributions, so the
 * owners come from the table of kube-proxy alone.
 */
export function findTableOwners(state: NftablesState): ReadonlyMap<string, string> {
  const table = state.tables.length > 1 ? state.tables.find(isKubeProxyTable) : undefined
  return findResourceOwners(table === undefined ? state : annotateTableOwners({ tables: [table] }))
}
