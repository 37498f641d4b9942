import {
  type CompileResult,
  cleanStaleEntries,
  parseConntrack,
  runCommands,
  type TrackerUpdate,
} from '@kube-rules/compiler'
import { type Logger, textOf } from './log.js'
import { isAtLeast, type Machine, type MachineFiles } from './machine.js'
import type { Metrics } from './metrics.js'
import { outputOf, type RunTool } from './run-tool.js'

export interface StaleEntryOptions {
  readonly families: Machine['families']
  readonly files: MachineFiles
  readonly run: RunTool
  readonly metrics: Metrics
  readonly log: Logger
}

/** Deletes the UDP entries of the conntrack table whose destination is not a serving endpoint. */
export function createStaleEntryCleaner({ families, files, run, metrics, log }: StaleEntryOptions) {
  let canBatch: boolean | undefined
  let isNeeded = true

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
    canBatch ??= isAtLeast((await outputOf(run, 'conntrack', '--version')) ?? '', '1.4.7')
    return canBatch
  }

  async function deleteEntries(next: CompileResult): Promise<void> {
    const entries = parseConntrack(await readConntrack())
    const commands = cleanStaleEntries(next, entries, { canBatchConntrack: await hasBatches(entries.length) })
    isNeeded = false
    if (commands.length === 0) return
    const deleted = await runCommands(commands, async (each) => (await run(each.tool, each.args, each.input)).status)
    if (!deleted.ok) {
      isNeeded = true
      throw new Error(`cannot ${deleted.failed.purpose}`)
    }
    const lines = commands.flatMap(({ args, input }) => (input || args.join(' ')).trim().split('\n'))
    for (const line of lines) metrics.conntrackDeleted.inc({ ip_family: line.includes('ipv6') ? 'IPv6' : 'IPv4' })
  }

  /** Deletes the entries that an applied update may have left; also at the start and after a failure. */
  return async function clean({ result, patch, full }: TrackerUpdate): Promise<void> {
    isNeeded ||= full || patch.families.some(({ staleConnections }) => staleConnections.length > 0)
    if (!isNeeded) return
    const start = Date.now()
    try {
      await deleteEntries(result)
    } catch (error) {
      // As in kube-proxy, this failure does not fail the update, because the rules are correct. The next update tries
      // again.
      log.warning('stale connections are not deleted', { error: textOf(error) })
    } finally {
      for (const { family } of result.families)
        metrics.conntrackDuration.observe({ ip_family: family }, (Date.now() - start) / 1000)
    }
  }
}
