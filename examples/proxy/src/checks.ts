import { unwatchFile, watchFile } from 'node:fs'
import { textOf } from './log.js'
import type { Machine } from './machine.js'
import type { createProgrammer } from './programmer.js'
import type { ProxyOptions } from './proxy.js'
import { watchRules } from './watch-rules.js'

type Programmer = ReturnType<typeof createProgrammer>

/** The longest time between two looks for permanent rules, in milliseconds. */
const LONGEST_CHECK_PERIOD = 8_000

/**
 * Starts what finds rules that other programs removed, and changes of the configuration file: a look for permanent rules,
 * a read of all rules each hour, and a watch of the file.
 */
export function startChecks(
  { complete, mode, configFile, filePeriod, fullSyncPeriod, fail, log }: ProxyOptions,
  programmer: Programmer,
  requestSync: () => void,
) {
  const readAll = () => readAllRules(programmer, requestSync)

  async function check(): Promise<void> {
    const synchronizer = programmer.synchronizer()
    if (synchronizer?.retryRead() || synchronizer?.isUnfinished()) requestSync()
    const missing = await synchronizer?.check()
    if (missing === undefined) return
    log.warning('rules are gone, all are compared', { canary: missing })
    readAll()
  }

  const onFailure = (error: unknown) => log.warning('no canary', { error: textOf(error) })
  const checkPeriod = Math.min(complete[mode].syncPeriod, LONGEST_CHECK_PERIOD)
  const checking = setInterval(() => void check().catch(onFailure), checkPeriod)
  const reading = setInterval(readAll, fullSyncPeriod ?? 3_600_000)
  const onFile = () => fail('the configuration file has changed')
  if (configFile !== undefined) watchFile(configFile, { interval: filePeriod ?? 5_000 }, onFile)
  return {
    stop: (): void => {
      clearInterval(checking)
      clearInterval(reading)
      if (configFile !== undefined) unwatchFile(configFile, onFile)
    },
  }
}

/** Watches for changes of rules by other programs, if the machine can report them. All rules are read after each. */
export function startRuleWatch(
  { startMonitor, log }: ProxyOptions,
  { backend }: Machine,
  programmer: Programmer,
  requestSync: () => void,
): ReturnType<typeof watchRules> | undefined {
  if (startMonitor === undefined || backend !== 'nft') return undefined
  const isRead = () => programmer.synchronizer() !== undefined
  return watchRules({ start: startMonitor, onForeignChange: () => readAllRules(programmer, requestSync), isRead, log })
}

function readAllRules(programmer: Programmer, requestSync: () => void): void {
  programmer.synchronizer()?.readNext()
  requestSync()
}
