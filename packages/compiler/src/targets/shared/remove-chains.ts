import type { IptablesState, Rule, TableName } from '../../dataplane/iptables/ast.js'
import { chainsOf } from '../../dataplane/iptables/chains.js'
import { createRuleArguments } from '../../dataplane/iptables/print/arguments.js'
import { iptablesToolOf, LOCK_WAIT_ARGUMENTS, restoreToolOf } from '../../dataplane/iptables/tools.js'
import type { ToolCommand } from '../../dataplane/netfilter/tool-command.js'

/** Returns the iptables command that removes a jump from a built-in chain. The jump need not exist. */
export function createJumpRemovalCommand(jump: Rule, table: TableName, { family }: IptablesState): ToolCommand {
  return {
    tool: iptablesToolOf(family),
    args: createRuleArguments('-D', jump, table, family),
    input: '',
    purpose: `remove a jump from ${jump.chain}`,
    allowFailure: true,
    // iptables exits with status 2 if the target chain of the jump does not exist. Then there is no jump to delete.
    nothingToDo: [1, 2],
  }
}

/** Returns the command that flushes and deletes the given chains if present; undefined if none exist. */
export function createChainRemovalCommands(
  { family, tables }: IptablesState,
  name: TableName,
  removed: (chains: readonly string[]) => readonly string[],
): readonly ToolCommand[] {
  const table = tables.find((each) => each.name === name)
  const existing: ReadonlySet<string> = new Set(table === undefined ? [] : chainsOf(table).keys())
  const chains = removed(Array.from(existing)).filter((chain) => existing.has(chain))
  if (chains.length === 0) return []
  const lines = [...chains.map((chain) => `:${chain} - [0:0]`), ...chains.map((chain) => `-X ${chain}`)]
  return [
    {
      tool: restoreToolOf(family),
      args: [...LOCK_WAIT_ARGUMENTS, '-T', name, '--noflush', '--counters'],
      input: [`*${name}`, ...lines, 'COMMIT', ''].join('\n'),
      purpose: `remove the chains of table ${name}`,
    },
  ]
}
