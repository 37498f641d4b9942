import {
  type CommandInvocation,
  type Dump,
  isEmptyPatch,
  runCommands,
  type ToolCommand,
  type TrackerUpdate,
  toCommands,
} from '@kube-rules/compiler'
import {
  batchMissingJumps,
  NO_TERMINATING_SERVERS,
  parseIpvsConnections,
  planGracefulTermination,
  postponeDeletions,
  skipCounterChecks,
  type TerminationPlan,
} from '@kube-rules/proxy-kit'
import { type Logger, textOf } from './log.js'
import type { Machine } from './machine.js'
import { countFailure, type Metrics, recordWritten } from './metrics.js'
import { outputOf, type RunTool } from './run-tool.js'

export interface UpdateRunnerOptions {
  readonly machine: Machine
  readonly run: RunTool
  readonly metrics: Metrics
  readonly log: Logger
}

/** Runs the commands of updates, and those that earlier updates have left for later. */
export function createUpdateRunner({ machine, run, metrics, log }: UpdateRunnerOptions) {
  const { backend } = machine
  let { counters } = machine
  let terminating = NO_TERMINATING_SERVERS
  let postponed: readonly ToolCommand[] = []

  /** Runs the commands of an update. `held`: the dump that the update starts from. Rejects if a command fails. */
  async function runUpdate(update: TrackerUpdate, held: Dump | undefined): Promise<void> {
    const { patch, full } = update
    if (isEmptyPatch(patch) && !isUnfinished()) return
    const { commands: deletions, left, next } = await terminationOf(update, held)
    const termination = { terminating: next.keys, waiting: left.keys }
    const needed = [...deletions, ...toCommands(patch, { backend, keepsConnections: true, ...termination })]
    // The counters that the machine has listed are known for the first update.
    const all = counters === undefined ? needed : skipCounterChecks(needed, counters)
    counters = undefined
    // A dump shows the chains whose deletion was postponed, and the update deletes them.
    const { commands, later } =
      held === undefined ? postponeDeletions(all, postponed) : { commands: batchMissingJumps(all, held), later: [] }
    for (const { family, state } of update.result.families)
      for (const { name } of state.iptables?.tables ?? []) metrics.rulesLast.set({ ip_family: family, table: name }, 0)
    const applied = await runCommands(commands, (command) => runCommand(command, full))
    if (applied.ok) {
      terminating = next
      postponed = later
      return
    }
    const { failed, error } = applied
    throw new Error(`cannot ${failed.purpose}${error === undefined ? '' : `: ${textOf(error)}`}`)
  }

  function isUnfinished(): boolean {
    return terminating.keys.length > 0 || postponed.length > 0
  }

  async function terminationOf(update: TrackerUpdate, held: Dump | undefined): Promise<TerminationPlan> {
    if (update.result.mode !== 'ipvs')
      return { commands: [], left: NO_TERMINATING_SERVERS, next: NO_TERMINATING_SERVERS }
    const text = await outputOf(run, 'ipvsadm', '-Ln')
    const connections = text === undefined ? () => 1 : parseIpvsConnections(text) // If the connections cannot be read, all real servers are kept.
    return planGracefulTermination(terminating, update, held, connections)
  }

  async function runCommand({ tool, args, input, onNonZeroExit }: CommandInvocation, isFull: boolean): Promise<number> {
    const { status, stderr } = await run(tool, args, input)
    if (status === 0) recordWritten(metrics, tool, input)
    if (status !== 0 && onNonZeroExit === 'fail') {
      countFailure(metrics, tool, input, isFull)
      const command = [tool, ...args].join(' ')
      log.error('a command failed', { command, status, error: stderr.trim().slice(0, 2_000) })
    }
    return status
  }

  return { run: runUpdate, isUnfinished }
}
