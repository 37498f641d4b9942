import type { ToolCommand } from '../netfilter/tool-command.js'

export interface ConntrackCommandOptions {
  /**
   * Whether the conntrack tool of the node reads commands (`--load-file`), which it does since version 1.4.7. Then one
   * command deletes all entries. Default: false.
   */
  readonly canBatchConntrack?: boolean | undefined
}

/**
 * The pipe is needed because the standard input of a child process of Node.js is a socket, which conntrack cannot open.
 */
const LOAD = 'cat | conntrack --load-file -'

/** Returns the conntrack commands for deletions, which also fail if no entry matches. */
export function toConntrackCommands(
  deletions: readonly (readonly string[])[],
  { canBatchConntrack = false }: ConntrackCommandOptions,
): readonly ToolCommand[] {
  const common = { purpose: 'delete stale connections', allowFailure: true }
  if (!canBatchConntrack || deletions.length < 2) {
    return deletions.map((args) => ({ tool: 'conntrack', args, input: '', ...common }))
  }
  const input = deletions.map((args) => `${args.join(' ')}\n`).join('')
  return [{ tool: 'sh', args: ['-c', LOAD], input, ...common }]
}
