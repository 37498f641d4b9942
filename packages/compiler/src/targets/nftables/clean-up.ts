import type { ToolCommand } from '../../dataplane/netfilter/tool-command.js'
import { printCommands } from '../../dataplane/nftables/print/print-commands.js'
import type { NodeState } from '../../dataplane/node-state.js'
import { isKubeProxyTable } from './static-names.js'

/**
 * Returns the command that kube-proxy runs to clean up nftables mode. The command deletes the kube-proxy table. Mirrors
 * `CleanupLeftovers` of the nftables proxier.
 */
export function cleanUpNftables({ nftables }: NodeState): readonly ToolCommand[] {
  const tables = nftables?.tables.filter(isKubeProxyTable) ?? []
  return tables.map(({ family, name }) => ({
    tool: 'nft',
    args: ['-f', '-'],
    input: printCommands([{ verb: 'delete', object: 'table', family, table: name }]),
    purpose: 'remove the table',
  }))
}
