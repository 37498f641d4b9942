import type { CompileResult } from '@kube-rules/compiler'
import { applyConntrackSettings } from './kernel-settings.js'
import { textOf } from './log.js'
import type { Machine } from './machine.js'
import { recordSync } from './metrics.js'
import type { createPendingChanges } from './pending-changes.js'
import type { ProxyOptions } from './proxy.js'
import type { Reporting } from './reporting.js'
import type { RunTool } from './run-tool.js'
import type { Store } from './store.js'
import { createSynchronizer, type Synchronizer } from './synchronizer.js'

export interface ProgrammerOptions {
  readonly proxy: ProxyOptions
  readonly machine: Machine
  readonly store: () => Store
  readonly changes: ReturnType<typeof createPendingChanges>
  readonly reporting: Reporting
  readonly run: RunTool
  /** Returns the number of processes so far. */
  readonly processes: () => number
  /** Receives the time that reading and comparing all rules took, in milliseconds. */
  readonly onFullSync: (milliseconds: number) => void
}

/** Programs the node, and reports each attempt. Before the first one, the synchronizer does not exist. */
export function createProgrammer({ proxy, machine, changes, reporting, run, ...options }: ProgrammerOptions) {
  const { files, complete, log } = proxy
  const { health, metrics, serviceHealth } = reporting
  let synchronizer: Synchronizer | undefined
  let programmed: CompileResult | undefined

  function startSynchronizer(): Synchronizer {
    const { nodeName, configuration, mode, kubernetesVersion } = proxy
    const tracked = { nodeName, configuration, mode, kubernetesVersion }
    const usesInterfaces = mode === 'ipvs' || (configuration.nodePortAddresses ?? []).length > 0
    return createSynchronizer({ tracked, usesInterfaces, store: options.store(), machine, files, run, metrics, log })
  }

  /** Rejects if the node is not programmed. */
  async function sync(): Promise<void> {
    const start = performance.now()
    const isFirst = programmed === undefined
    const taken = changes.take()
    try {
      synchronizer ??= startSynchronizer()
      const { result, full } = await synchronizer.sync()
      programmed = result
      if (full) options.onFullSync(performance.now() - start)
      health.updated(performance.now(), start)
      serviceHealth.update(result)
      taken.markProgrammed()
      recordSync(metrics, result, { start, isFull: full, triggers: isFirst ? [] : taken.triggers })
      const milliseconds = Math.round(performance.now() - start)
      const facts = { version: result.kubernetesVersion, milliseconds, processes: options.processes() }
      if (isFirst) applyConntrackSettings(files, complete, log) // The rules have loaded the kernel module.
      if (isFirst) log.info('the node is programmed', { ...facts, ...result.counts })
    } catch (error) {
      taken.markFailed()
      log.error('the node is not programmed', { error: textOf(error) })
      throw error
    }
  }

  return { sync, synchronizer: () => synchronizer, result: () => programmed }
}
