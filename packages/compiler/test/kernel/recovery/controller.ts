import { type RunResult, runCommands } from '../../../src/commands/run-commands.js'
import { toCommands } from '../../../src/commands/to-commands.js'
import type { CompileResult } from '../../../src/compilation/compile-result.js'
import type { ToolCommand } from '../../../src/dataplane/netfilter/tool-command.js'
import type { Dump } from '../../../src/dataplane/node-state.js'
import type { IptablesBackend } from '../../../src/dataplane/tool-options.js'
import type { Tracker } from '../../../src/tracker/tracker-types.js'
import type { CommandExecutor } from '../sandbox/sandbox.js'
import { forKernel, type NodeKind } from './node.js'

// Uses the library as a controller does. All recovery tests use this file.

interface Update {
  readonly result: CompileResult
  readonly commands: readonly ToolCommand[]
  /** Whether chains may remain on the node that only a dump can reveal. */
  readonly mayHaveLeftovers: boolean
}

/**
 * Returns the commands of the next sync of a tracker. With a dump, the commands start from the rules in the dump. The
 * update counts as applied unless the caller marks it as failed after its commands.
 */
export function nextUpdate(tracker: Tracker, backend: IptablesBackend, dump?: Dump): Update {
  if (dump !== undefined) tracker.resync(dump)
  const { patch, result, mayHaveLeftovers } = tracker.sync()
  tracker.markApplied()
  return { result, commands: toCommands(patch, { backend }), mayHaveLeftovers }
}

/** A fault in one command; `at` is its index among the commands that must succeed. */
export interface CommandFault {
  readonly kind: 'fails before' | 'fails after' | 'killed'
  readonly at: number
}

interface Carried {
  readonly applied: RunResult
  /** Whether the fault happened. There is no fault if there are too few commands. */
  readonly injected: boolean
  /** The error output of the last command that failed; empty if no command failed. */
  readonly stderr: string
}

/**
 * Runs the commands that this kind of node supports, with at most one fault. Skips conntrack, which other tests cover.
 */
export async function carryOut(
  run: CommandExecutor,
  commands: readonly ToolCommand[],
  kind: NodeKind,
  fault?: CommandFault,
): Promise<Carried> {
  let count = 0
  let injected = false
  let stderr = ''
  const possible = commands.filter(({ tool }) => tool !== 'conntrack' && (tool !== 'ipvsadm' || kind.ipvs === 'whole'))
  const applied = await runCommands(possible, async ({ tool, args, input, onNonZeroExit }) => {
    const isFaulty = onNonZeroExit === 'fail' && count++ === fault?.at
    if (isFaulty) injected = true
    if (isFaulty && fault?.kind === 'killed') throw new Error('killed')
    if (isFaulty && fault?.kind === 'fails before') return false
    const ran = await run(
      [programOf(tool, kind.backend), ...forKernel(impatient(args).join('\n'), kind).split('\n')],
      forKernel(input, kind),
    )
    if (ran.status !== 0) stderr = ran.stderr
    return isFaulty ? false : ran.status
  })
  return { applied, injected, stderr }
}

/** Shortens the wait for the iptables lock from five seconds to one. */
function impatient(args: readonly string[]): readonly string[] {
  return args.map((word, index) => (args[index - 1] === '-w' ? '1' : word))
}

/** Maps `iptables-restore` to `iptables-nft-restore` or `iptables-legacy-restore`. */
function programOf(tool: string, backend: IptablesBackend): string {
  return tool.replace('tables', `tables-${backend}`)
}
