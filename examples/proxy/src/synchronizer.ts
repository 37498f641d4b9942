import {
  type CompileResult,
  createTracker,
  type Dump,
  type ProxyMode,
  type Tracker,
  type TrackerOptions,
  type TrackerUpdate,
} from '@kube-rules/compiler'
import { applyRequirements } from './kernel-settings.js'
import { type Logger, textOf } from './log.js'
import { createDiagnosticLog } from './log-diagnostics.js'
import { createHostReader, type Machine, type MachineFiles } from './machine.js'
import type { Metrics } from './metrics.js'
import { findMissingRules, readNode } from './read-node.js'
import type { RunTool } from './run-tool.js'
import { createStaleEntryCleaner } from './stale-entries.js'
import type { Store } from './store.js'
import { createUpdateRunner } from './update-runner.js'

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
  const host = createHostReader(machine, files, usesInterfaces)
  /** Whether the next sync reads the rules of the node: they are unknown, or another program may have changed them. */
  let mustRead = true
  let mayHaveChanged = false
  let hasFailedRead = false
  let result: CompileResult | undefined
  const logDiagnostics = createDiagnosticLog(log)
  const updates = createUpdateRunner({ machine, run, metrics, log })
  const cleanStaleEntries = createStaleEntryCleaner({ families: machine.families, files, run, metrics, log })

  // Like kube-proxy, the tracker keeps the addresses of the Node, also if the facts about the machine change.
  const tracker = createTracker({ ...tracked, families: machine.families, host: host.first })
  for (const [kind, objects] of store.kinds())
    tracker.replace(kind as TrackedKind, [...objects.values()] as TrackedObject[])

  /** Programs the rules of the current objects. `full` means from a dump. Rejects if a command fails. */
  async function sync(): Promise<Pick<TrackerUpdate, 'result' | 'full'>> {
    host.onChange((facts) => tracker.setHost(facts))
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
      await updates.run(update, held)
    } catch (error) {
      tracker.markFailed()
      mustRead = true
      throw error
    }
    tracker.markApplied()
    mustRead = false
    result = update.result
    await cleanStaleEntries(update)
    return update
  }

  /** Reads the rules of the node. If they cannot be read but are probably known, the sync continues without them. */
  async function readHeld(): Promise<Dump | undefined> {
    try {
      return await readNode(run, files, machine.families, tracked.mode as ProxyMode)
    } catch (error) {
      if (mustRead) throw error
      log.warning('the rules of the node are not compared', { error: textOf(error) })
      hasFailedRead = true
      return undefined
    }
  }

  return {
    upsert: (kind: string, object: object, isGone: boolean) =>
      tracker[isGone ? 'delete' : 'upsert'](object as TrackedObject, kind as TrackedKind),
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
    isUnfinished: updates.isUnfinished,
    /** Returns a description of missing rules on the node; undefined if all programmed rules exist. */
    check: async () => (result === undefined || mustRead || mayHaveChanged ? undefined : findMissingRules(run, result)),
    sync,
  }
}
