import type { Rule, TableName } from '../../dataplane/iptables/ast.js'
import { BUILT_IN_CHAINS } from '../../dataplane/iptables/built-in-chains.js'
import { chainId, chainResource, jumpsResource } from '../../dataplane/iptables/resources.js'
import type { Resource } from '../../patch/resource.js'
import { isSharedChain } from './kube-chains.js'
import { MARK_MASQ_CHAIN } from './mark.js'

/** What a mode has in one table: the names of its chains, and the jumps from built-in chains to them. */
export interface FixedTable {
  readonly table: TableName
  readonly chains: Iterable<string>
  readonly jumps: readonly Rule[]
}

/**
 * The chains, without rules, and the jumps. Without what the kubelet has, too, and without KUBE-MARK-MASQ: as long as a
 * chain of a service port is left over, a rule leads to it.
 */
export function fixedResources(tables: readonly FixedTable[]): readonly Resource[] {
  return tables.flatMap(({ table, chains, jumps }) => {
    const isShared = (chain: string) => isSharedChain(chainId(table, chain))
    const own = [...chains].filter((chain) => !isShared(chain) && chain !== MARK_MASQ_CHAIN)
    const leads = jumps.filter(({ target }) => target?.kind === 'jump' && !isShared(target.chain))
    return [
      ...own.map((chain) => chainResource(table, chain, [])),
      ...BUILT_IN_CHAINS[table].flatMap((chain) =>
        jumpsResource(
          table,
          chain,
          leads.filter((jump) => jump.chain === chain),
        ),
      ),
    ]
  })
}
