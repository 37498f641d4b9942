import type { Rule, TableName } from '../../dataplane/iptables/ast.js'
import { BUILT_IN_CHAINS } from '../../dataplane/iptables/built-in-chains.js'
import { createChainResource, createJumpsResource, formatChainId } from '../../dataplane/iptables/resources.js'
import type { Resource } from '../../patch/resource.js'
import { isSharedChain } from './kube-chains.js'
import { MARK_MASQ_CHAIN } from './mark.js'

/** The chains of a mode in one table, and the jumps from built-in chains to these chains. */
export interface StaticTable {
  readonly table: TableName
  readonly chains: Iterable<string>
  readonly jumps: readonly Rule[]
}

/**
 * Returns the chains, without their rules, and the jumps. Resources that the kubelet also creates are excluded.
 * KUBE-MARK-MASQ is also excluded, because a leftover chain of a service port may still jump to it.
 */
export function createStaticResources(tables: readonly StaticTable[]): readonly Resource[] {
  return tables.flatMap(({ table, chains, jumps }) => {
    const isShared = (chain: string) => isSharedChain(formatChainId(table, chain))
    const own = [...chains].filter((chain) => !isShared(chain) && chain !== MARK_MASQ_CHAIN)
    const leads = jumps.filter(({ target }) => target?.kind === 'jump' && !isShared(target.chain))
    return [
      ...own.map((chain) => createChainResource(table, chain, [])),
      ...BUILT_IN_CHAINS[table].flatMap((chain) =>
        createJumpsResource(
          table,
          chain,
          leads.filter((jump) => jump.chain === chain),
        ),
      ),
    ]
  })
}
