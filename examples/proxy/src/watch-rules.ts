import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { type Logger, textOf } from './log.js'
import type { RunTool } from './run-tool.js'

/** A process that prints a line for each transaction of nf_tables. */
export interface RuleMonitor {
  stop(): void
}

/** Starts a monitor. `onEnd` is called once, also if the program is missing. */
export type StartRuleMonitor = (onLine: (line: string) => void, onEnd: (error: string) => void) => RuleMonitor

/**
 * Starts `xtables-monitor`, which needs 2 MiB of memory. `nft monitor` needs 80 MiB for 1,000 Services, because it holds
 * all rules. With `-6`, it does not print rules of IPv4, but the transactions of every family. Without `stdbuf`, it
 * would print nothing until its buffer is full.
 */
export const startXtablesMonitor: StartRuleMonitor = (onLine, onEnd) => {
  const child = spawn('stdbuf', ['--output=L', 'xtables-monitor', '--event', '-6'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  createInterface({ input: child.stdout }).on('line', onLine)
  let hasEnded = false
  const end = (error: string) => {
    if (!hasEnded) onEnd(error)
    hasEnded = true
  }
  child.on('error', (error) => end(textOf(error)))
  child.on('exit', (status, signal) => end(`${signal ?? status}`))
  return {
    stop: () => {
      hasEnded = true
      child.kill()
    },
  }
}

export interface RuleWatchTimes {
  /** How long after a command its transactions may be reported, in milliseconds. */
  readonly late: number
  /** The least time between two reports. */
  readonly gap: number
  /** The least time between a report and a report because the monitor has ended. */
  readonly gapAfterEnd: number
  /** The greatest time between a change and a report, unless reading the rules takes more than a tenth of it. */
  readonly longestGap: number
  /** The time between the end of a monitor and the next one. */
  readonly restart: number
}

export const RULE_WATCH_TIMES: RuleWatchTimes = {
  late: 300,
  gap: 2_000,
  gapAfterEnd: 8_000,
  longestGap: 8_000,
  restart: 100,
}

/**
 * The monitor ends this often in a row without a line before it is given up, unless it has worked before: the kernel or
 * the tool does not support it.
 */
const MOST_FAILURES = 5

/** The part of the time that reading the rules may take, unless a change would wait too long: one of this many. */
const SHARE = 100

/** The part of the time that reading the rules of a large node may take: one of this many. */
const LARGEST_SHARE = 10

/** The length of the input of an own command whose transaction may end the monitor. */
const LARGE = 50_000

export interface RuleWatchOptions {
  readonly start: StartRuleMonitor
  /** Called after other programs may have changed rules. */
  readonly onForeignChange: () => void
  readonly log: Logger
  readonly times?: RuleWatchTimes
}

/** The transactions that an own command may still cause, and the time until which they count as own. */
interface OwnTransactions {
  count: number
  until: number
}

/**
 * Watches for transactions of other programs. Transactions during the commands that pass through `runOwn` count as own,
 * up to the number that these commands commit.
 */
export function watchRules({ start, onForeignChange, log, times = RULE_WATCH_TIMES }: RuleWatchOptions) {
  let own: OwnTransactions[] = []
  let largeUntil = Number.NEGATIVE_INFINITY
  let lastReport = Number.NEGATIVE_INFINITY
  let cost = 0
  let failures = 0
  let hasWorked = false
  let isStopped = false
  let monitor: RuleMonitor | undefined
  let reporting: NodeJS.Timeout | undefined
  let restarting: NodeJS.Timeout | undefined

  function onTransaction(line: string): void {
    if (!line.includes('NEWGEN')) return
    failures = 0
    hasWorked = true
    const now = performance.now()
    own = own.filter(({ count, until }) => count > 0 && now < until)
    const [first] = own
    if (first === undefined) report(times.gap)
    else first.count -= 1
  }

  function report(gap: number): void {
    if (reporting !== undefined) return
    const longest = Math.max(times.longestGap, LARGEST_SHARE * cost)
    const next = lastReport + Math.max(gap, Math.min(longest, SHARE * cost))
    reporting = setTimeout(
      () => {
        reporting = undefined
        lastReport = performance.now()
        onForeignChange()
      },
      Math.max(times.late, next - performance.now()),
    )
  }

  function begin(): void {
    monitor = start(onTransaction, onEnd)
  }

  /**
   * Starts the monitor again. A large transaction, a busy machine, or a rule that the monitor cannot print, ends it, and
   * reports of others may be lost with it. The read that replaces them follows the start, so that it misses nothing. An
   * end during an own large transaction is no failure.
   */
  function onEnd(error: string): void {
    if (isStopped) return
    const isOwn = performance.now() < largeUntil
    if (!isOwn) failures += 1
    if (failures >= MOST_FAILURES && !hasWorked) {
      log.warning('changes of rules by other programs are found late: no xtables-monitor', { error })
      return
    }
    const isRepeated = failures >= MOST_FAILURES
    if (isRepeated) log.warning('xtables-monitor ends again and again', { error })
    restarting = setTimeout(
      () => {
        begin()
        if (!error.includes('ENOENT')) report(times.gapAfterEnd)
      },
      isRepeated ? times.gap : times.restart,
    )
  }

  begin()
  return {
    /** Runs a tool whose transactions are own. */
    runOwn: async (run: RunTool, ...[tool, args, input = '']: Parameters<RunTool>): ReturnType<RunTool> => {
      const count = Math.max(1, input.match(/^COMMIT$/gm)?.length ?? 0)
      const transactions: OwnTransactions = { count, until: Number.POSITIVE_INFINITY }
      own.push(transactions)
      if (input.length > LARGE) largeUntil = Number.POSITIVE_INFINITY
      try {
        return await run(tool, args, input)
      } finally {
        transactions.until = performance.now() + times.late
        if (input.length > LARGE) largeUntil = performance.now() + times.gap
      }
    },
    /** Records the time that it took to read all rules, in milliseconds. */
    setCost: (milliseconds: number): void => {
      cost = milliseconds
    },
    stop: (): void => {
      isStopped = true
      clearTimeout(reporting)
      clearTimeout(restarting)
      monitor?.stop()
    },
  }
}

/** Reports whether a command only reads, so that it causes no transaction. */
export function isReading(tool: string, args: readonly string[]): boolean {
  if (tool === 'nft') return args.includes('list')
  return !tool.includes('tables') || tool.endsWith('-save') || args.includes('-S') || args.includes('-C')
}
