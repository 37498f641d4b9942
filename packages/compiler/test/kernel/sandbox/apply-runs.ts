import { runCommands } from '../../../src/commands/run-commands.js'
import type { ToolCommand } from '../../../src/dataplane/netfilter/tool-command.js'
import type { IptablesBackend } from '../../../src/dataplane/tool-options.js'
import type { CommandExecutor } from './sandbox.js'

/**
 * Runs a script, command by command, with the tools of one back end. Throws at the first unexpected failure; earlier
 * changes remain.
 */
export async function runToolCommands(
  run: CommandExecutor,
  commands: readonly ToolCommand[],
  backend: IptablesBackend,
): Promise<void> {
  let lastError = ''
  const applied = await runCommands(commands, async ({ tool, args, input }) => {
    const { status, stderr } = await run([programOf(tool, backend), ...args], input)
    lastError = stderr
    return status
  })
  if (applied.ok) return
  const { tool, args, purpose } = applied.failed
  throw new Error(`to ${purpose}: ${programOf(tool, backend)} ${args.join(' ')}: ${lastError}`, {
    cause: applied.error,
  })
}

/** Maps `iptables-restore` to `iptables-nft-restore` or `iptables-legacy-restore`. */
function programOf(tool: string, backend: IptablesBackend): string {
  return tool.replace('tables', `tables-${backend}`)
}
