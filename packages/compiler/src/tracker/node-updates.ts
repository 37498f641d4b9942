import { DiagnosticsError } from '@kube-rules/types'
import { checkFunction, checkOptions } from '../arguments/check-argument.js'
import { type CommandExecutor, runCommands } from '../commands/run-commands.js'
import { COMMAND_OPTIONS, type CommandOptions, toCommands } from '../commands/to-commands.js'
import { isEmptyPatch } from '../diff/diff.js'
import { createSerialQueue } from './serial-queue.js'
import type { TrackedNode } from './track-node.js'
import type { Tracker, TrackerRunOptions, TrackerRunResult, TrackerUpdate } from './tracker-types.js'

/**
 * Whether the last update is on the node.
 * - `settled`: it was applied, or it failed
 * - `unconfirmed`: the caller of `sync` executes its commands
 * - `running`: `run` reads the node or executes the commands
 */
type UpdateProgress = 'settled' | 'unconfirmed' | 'running'

/** The functions of a tracker that update its node. */
export type NodeUpdates = Pick<Tracker, 'sync' | 'run' | 'resync' | 'markApplied' | 'markFailed'>

/** Creates the functions that update a node. No update starts before the last one is settled. */
export function createNodeUpdates(
  node: TrackedNode,
  compileObjects: (isFullSync: boolean) => Pick<TrackerUpdate, 'result' | 'newDiagnostics'>,
): NodeUpdates {
  const serialize = createSerialQueue()
  let progress: UpdateProgress = 'settled'
  /** Whether the running update failed, or was marked as failed. */
  let isFailed = false

  const next = (): TrackerUpdate => {
    const compiled = compileObjects(!node.isKnown())
    return { ...compiled, ...node.updateTo(compiled.result) }
  }
  const apply = async ({ patch }: TrackerUpdate, execute: CommandExecutor, options: CommandOptions) => {
    try {
      const result = await runCommands(toCommands(patch, options), execute)
      isFailed ||= !result.ok
      return result
    } catch (error) {
      isFailed = true
      throw error
    }
  }
  const runUpdate = async (
    execute: CommandExecutor,
    { readNode, ...options }: TrackerRunOptions,
  ): Promise<TrackerRunResult> => {
    checkSettled('run', progress)
    progress = 'running'
    isFailed = false
    try {
      if (readNode !== undefined) node.resync(await readNode())
      const update = next()
      const result = await apply(update, execute, options)
      return { ...result, update }
    } finally {
      if (isFailed) node.markFailed()
      progress = 'settled'
    }
  }
  return {
    sync: () => {
      checkSettled('sync', progress)
      const update = next()
      progress = isEmptyPatch(update.patch) ? 'settled' : 'unconfirmed'
      return update
    },
    run: async (execute, options = {}) => {
      checkFunction('execute', execute, 'a function that executes a command')
      checkOptions<TrackerRunOptions>(options, { ...COMMAND_OPTIONS, readNode: 'other' })
      return serialize(() => runUpdate(execute, options))
    },
    resync: (actual) => {
      checkSettled('resync', progress)
      node.resync(actual)
    },
    markApplied: () => {
      if (progress === 'unconfirmed') progress = 'settled'
    },
    markFailed: () => {
      if (progress === 'running') {
        isFailed = true
        return
      }
      progress = 'settled'
      node.markFailed()
    },
  }
}

/** Throws if the commands of the last update may still be running, because two updates must not overlap. */
function checkSettled(name: string, progress: UpdateProgress): void {
  if (progress === 'settled') return
  const [message, expected] =
    progress === 'running'
      ? ['an update of run has not ended', 'run, which waits for the end of the last update']
      : ['the last update of sync is not confirmed', 'markApplied or markFailed after the commands of each update']
  const object = { kind: 'Function', name }
  throw new DiagnosticsError([{ severity: 'error', code: 'unconfirmedUpdate', object, message, expected }])
}
