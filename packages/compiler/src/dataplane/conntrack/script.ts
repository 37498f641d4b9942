import { joinLines } from '../../internal/join-lines.js'
import type { ToolCommand } from '../netfilter/tool-command.js'

export interface ConntrackCommandOptions {
  /**
   * Whether the conntrack tool of the node can read commands from a file (`--load-file`, since version 1.4.7). If true,
   * one command deletes all entries. Default: false.
   */
  readonly canBatchConntrack?: boolean | undefined
}

/**
 * Pipes the input to conntrack, because the standard input of a child process of Node.js is a socket, and conntrack
 * cannot open a socket.
 */
const LOAD = 'cat | conntrack --load-file -'

/**
 * Returns the conntrack commands that delete entries. A command may fail (`allowFailure`), because it also fails if no
 * entry matches.
 */
export function toConntrackCommands(
  deletions: readonly (readonly string[])[],
  { canBatchConntrack = false }: ConntrackCommandOptions,
): readonly ToolCommand[] {
  const common = { purpose: 'delete stale connections', allowFailure: true }
  if (!canBatchConntrack || deletions.length < 2) {
    return deletions.map((args) => ({ tool: 'conntrack', args, input: '', ...common }))
  }
  const input = joinLines(deletions.map((args) => args.join(' ')))
  return [{ tool: 'sh', args: ['-c', LOAD], input, ...common }]
}
