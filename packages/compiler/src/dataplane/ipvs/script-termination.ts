import type { ToolCommand } from '../netfilter/tool-command.js'
import { formatRealServerDeletion, formatRealServerLine } from './print.js'
import type { RealServerChange } from './sync-real-servers.js'

/**
 * Returns the `ipvsadm -R` command for the changes of a `TerminationResult`, in order; an empty list without changes.
 * It deletes the real servers that `recheckTerminating` reports as finished.
 */
export function toTerminationCommands(changes: readonly RealServerChange[]): readonly ToolCommand[] {
  if (changes.length === 0) return []
  const input = changes.map((change) => `${lineOf(change)}\n`).join('')
  return [{ tool: 'ipvsadm', args: ['-R'], input, purpose: 'change real servers' }]
}

function lineOf({ action, virtualServer, realServer }: RealServerChange): string {
  if (action === 'delete') return formatRealServerDeletion(virtualServer, realServer)
  return formatRealServerLine(action === 'add' ? '-a' : '-e', virtualServer, realServer)
}
