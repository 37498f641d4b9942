import { type RunResult, runCommands } from '../../../src/commands/run-commands.js'
import { toCommands } from '../../../src/commands/to-commands.js'
import type { CompileResult } from '../../../src/compilation/compile-result.js'
import type { ToolCommand } from '../../../src/dataplane/netfilter/tool-command.js'
import type { Dump } from '../../../src/dataplane/node-state.js'
import type { IptablesBackend } from '../../../src/dataplane/tool-options.js'
import type { Tracker } from '../../../src/tracker/tracker.js'
import type { CommandExecutor } from '../sandbox/sandbox.js'
import { forKernel, type NodeKind } from './node.js'

// The only place of these tests that says how a controller uses the library.

interface Update {
  readonly result: CompileResult
  readonly commands: readonly ToolCommand[]
  /** Whether chains may stay behind, which only a dump names. */
  readonly mayHaveLeftovers: boolean
}

/** The runs of the next sync of a tracker. With a dump they start from what the node holds. */
export function nextUpdate(tracker: Tracker, backend: IptablesBackend, dump?: Dump): Update {
  if (dump !== undefined) tracker.resync(dump)
  const { patch, result, mayHaveLeftovers } = tracker.sync()
  return { result, commands: toCommands(patch, { backend }), mayHaveLeftovers }
}

/** What may go wrong with the command of that number, of those that have to succeed. */
export interface CommandFault {
  readonly kind: 'fails before' | 'fails after' | 'killed'
  readonly at: number
}

interface Carried {
  readonly applied: RunResult
  /** Whether the fault happened: a script may have fewer commands. */
  readonly injected: boolean
  /** What the last command wrote that failed. */
  readonly stderr: string
}

/** Carries runs out as far as such a node can, with at most one fault on the way. Connections are looked at elsewhere. */
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

/** Waits one second for the lock of iptables instead of five. */
function impatient(args: readonly string[]): readonly string[] {
  return args.map((word, index) => (args[index - 1] === '-w' ? '1' : word))
}

/** Maps `iptables-restore` to `iptables-nft-restore` or `iptables-legacy-restore`. */
function programOf(tool: string, backend: IptablesBackend): string {
  return tool.replace('tables', `tables-${backend}`)
}
