import {
  type CompileResult,
  cleanStaleEntries,
  createTracker,
  type Dump,
  isEmptyPatch,
  type ProxyMode,
  parseConntrack,
  runCommands,
  type ToolCommand,
  type Tracker,
  type TrackerOptions,
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
import { applyRequirements } from './kernel-settings.js'
import { type Logger, textOf } from './log.js'
import { createDiagnosticLog } from './log-diagnostics.js'
import { hostFacts, isAtLeast, type Machine, type MachineFiles } from './machine.js'
import { countFailure, type Metrics, recordWritten } from './metrics.js'
import { findMissingRules, readNode } from './read-node.js'
import { outputOf, type RunTool } from './run-tool.js'
import type { Store } from './store.js'

type TrackedKind = Parameters<Tracker['replace']>[0]
type TrackedObject = Parameters<Tracker['upsert']>[0]

export interface SynchronizerOptions {
  readonly tracked: TrackerOptions
  readonly usesInterfaces: boolean
  readonly store: Store
  readonly machine: Machine
  readonly files: MachineFiles
  readonly run: RunTool
  readonly metrics: Metrics
  readonly log: Logger
}

export type Synchronizer = ReturnType<typeof createSynchronizer>

/**
 * Keeps the rules of a node equal to the rules of the objects. All functions of the kernel are behind `run` and
 * `files`.
 */
export function createSynchronizer(options: SynchronizerOptions) {
  const { tracked, usesInterfaces, store, machine, files, run, metrics, log } = options
  const { families, backend } = machine
  let { counters } = machine
  let facts = hostFacts(machine, files, usesInterfaces)
  /** Whether the next sync reads the rules of the node: they are unknown, or another program may have changed them. */
  let mustRead = true
  let mayHaveChanged = false
  let hasFailedRead = false
  let result: CompileResult | undefined
  let canBatchConntrack: boolean | undefined
  let mayHaveStaleEntries = true
  let terminating = NO_TERMINATING_SERVERS
  let postponed: readonly ToolCommand[] = []
  const logDiagnostics = createDiagnosticLog(log)

  // Like kube-proxy, the tracker keeps the addresses of the Node, also if the facts about the machine change.
  const tracker = createTracker({ ...tracked, families, host: facts })
  for (const [kind, objects] of store.kinds())
    tracker.replace(kind as TrackedKind, [...objects.values()] as TrackedObject[])

  /** Passes facts about the machine to the tracker, if they have changed. */
  function updateHost(): void {
    const next = hostFacts(machine, files, usesInterfaces)
    if (JSON.stringify(next) === JSON.stringify(facts)) return
    facts = next
    tracker.setHost(next)
  }

  /** Programs the rules of the current objects. `full` means from a dump. Rejects if a command fails. */
  async function sync(): Promise<Pick<TrackerUpdate, 'result' | 'full'>> {
    updateHost()
    const isRead = mustRead || mayHaveChanged
    // A change while the rules are read counts for the next sync.
    mayHaveChanged = false
    const held = isRead ? await readHeld() : undefined
    if (held !== undefined) tracker.resync(held)
    // Between the patch and its commands are own steps. The tracker rejects another update until this one is marked.
    const update = tracker.sync()
    try {
      logDiagnostics(update.newDiagnostics)
      if (result === undefined) await applyRequirements(update.result, files, run, log)
      await apply(update, held)
    } catch (error) {
      tracker.markFailed()
      mustRead = true
      throw error
    }
    tracker.markApplied()
    mustRead = false
    result = update.result
    mayHaveStaleEntries ||=
      update.full || update.patch.families.some(({ staleConnections }) => staleConnections.length > 0)
    if (mayHaveStaleEntries) await deleteStaleEntries(update.result)
    return update
  }

  /** Reads the rules of the node. If they cannot be read but are probably known, the sync continues without them. */
  async function readHeld(): Promise<Dump | undefined> {
    try {
      return await readNode(run, files, families, tracked.mode as ProxyMode)
    } catch (error) {
      if (mustRead) throw error
      log.warning('the rules of the node are not compared', { error: textOf(error) })
      hasFailedRead = true
      return undefined
    }
  }

  async function apply(update: TrackerUpdate, held: Dump | undefined): Promise<void> {
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
    const applied = await runCommands(commands, async ({ tool, args, input, onNonZeroExit }) => {
      const { status, stderr } = await run(tool, args, input)
      if (status === 0) recordWritten(metrics, tool, input)
      if (status !== 0 && onNonZeroExit === 'fail') {
        countFailure(metrics, tool, input, full)
        const command = [tool, ...args].join(' ')
        log.error('a command failed', { command, status, error: stderr.trim().slice(0, 2_000) })
      }
      return status
    })
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

  /** Reads the conntrack table and deletes the UDP entries whose destination is not a serving endpoint. */
  async function deleteStaleEntries(next: CompileResult): Promise<void> {
    const start = Date.now()
    try {
      const entries = parseConntrack(await readConntrack())
      const commands = cleanStaleEntries(next, entries, { canBatchConntrack: await hasBatches(entries.length) })
      mayHaveStaleEntries = false
      if (commands.length === 0) return
      const deleted = await runCommands(commands, async (each) => (await run(each.tool, each.args, each.input)).status)
      if (!deleted.ok) {
        mayHaveStaleEntries = true
        throw new Error(`cannot ${deleted.failed.purpose}`)
      }
      const lines = commands.flatMap(({ args, input }) => (input || args.join(' ')).trim().split('\n'))
      for (const line of lines) metrics.conntrackDeleted.inc({ ip_family: line.includes('ipv6') ? 'IPv6' : 'IPv4' })
    } catch (error) {
      // As in kube-proxy, this failure does not fail the update, because the rules are correct. The next update tries
      // again.
      log.warning('stale connections are not deleted', { error: textOf(error) })
    } finally {
      for (const { family } of next.families)
        metrics.conntrackDuration.observe({ ip_family: family }, (Date.now() - start) / 1000)
    }
  }

  /**
   * Reading the file of the kernel needs no process, but not every kernel has the file. Most lines of a large table are
   * TCP.
   */
  async function readConntrack(): Promise<string> {
    const text = await files.linesWith('/proc/self/net/nf_conntrack', ' udp ')
    if (text !== undefined) return text
    const list = async (family: string) => {
      const { status, stdout, stderr } = await run('conntrack', ['-L', '-p', 'udp', '-f', family.toLowerCase()])
      if (status !== 0) throw new Error(`conntrack: ${stderr.trim()}`)
      return stdout
    }
    return (await Promise.all(families.map(list))).join('\n')
  }

  async function hasBatches(entryCount: number): Promise<boolean> {
    if (entryCount < 2) return false
    canBatchConntrack ??= isAtLeast((await outputOf(run, 'conntrack', '--version')) ?? '', '1.4.7')
    return canBatchConntrack
  }

  return {
    upsert: (kind: string, object: object, isGone: boolean) => {
      if (isGone) tracker.delete(object as TrackedObject, kind as TrackedKind)
      else tracker.upsert(object as TrackedObject, kind as TrackedKind)
    },
    replace: (kind: string, objects: Iterable<object>) =>
      tracker.replace(kind as TrackedKind, [...objects] as TrackedObject[]),
    /** Makes the next sync start from a dump of the node instead of the last programmed state. */
    readNext: () => {
      mayHaveChanged = true
    },
    /** Makes the next sync read the node again if the last attempt has failed. Returns whether it has. */
    retryRead: (): boolean => {
      mayHaveChanged ||= hasFailedRead
      hasFailedRead = false
      return mayHaveChanged
    },
    /**
     * Reports whether the next sync has work even without a change: the deletion of chains, or of real servers without
     * connections.
     */
    isUnfinished,
    /** Returns a description of missing rules on the node; undefined if all programmed rules exist. */
    check: async () => (result === undefined || mustRead || mayHaveChanged ? undefined : findMissingRules(run, result)),
    sync,
  }
}
