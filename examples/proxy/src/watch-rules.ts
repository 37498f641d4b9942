import { spawn } from 'node:child_process'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { type Logger, textOf } from './log.js'
import { createOwnTransactions } from './own-transactions.js'

/** A process that prints a line for each transaction of nf_tables. */
export interface RuleMonitor {
  stop(): void
}

export interface RuleMonitorEvents {
  onLine(line: string): void
  /** The monitor receives transactions from now on. Called at most once. */
  onReady(): void
  /** The monitor has ended, or the program is missing. Called once. */
  onEnd(error: string): void
}

export type StartRuleMonitor = (events: RuleMonitorEvents) => RuleMonitor

/** The group of netlink sockets that receive transactions of nf_tables, as a bit of `/proc/net/netlink`. */
const NFTABLES_GROUP = 0x40

/** The time between two looks for the socket of a monitor, in milliseconds. */
const SOCKET_PERIOD = 50

/**
 * Starts `xtables-monitor`, which needs 2 MiB of memory. `nft monitor` needs 80 MiB for 1,000 Services, because it holds
 * all rules. With `-6`, it does not print rules of IPv4, but the transactions of every family. Without `stdbuf`, it
 * would print nothing until its buffer is full.
 */
export const startXtablesMonitor: StartRuleMonitor = ({ onLine, onReady, onEnd }) => {
  const child = spawn('stdbuf', ['--output=L', 'xtables-monitor', '--event', '-6'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  createInterface({ input: child.stdout }).on('line', onLine)
  let hasEnded = false
  const waiting = setInterval(() => {
    if (!isReceiving(child.pid)) return
    clearInterval(waiting)
    onReady()
  }, SOCKET_PERIOD)
  const end = (error: string) => {
    clearInterval(waiting)
    if (!hasEnded) onEnd(error)
    hasEnded = true
  }
  child.on('error', (error) => end(textOf(error)))
  child.on('exit', (status, signal) => end(`${signal ?? status}`))
  return {
    stop: () => {
      hasEnded = true
      clearInterval(waiting)
      child.kill()
    },
  }
}

/** Reports whether a process has a socket that receives transactions of nf_tables. */
function isReceiving(pid: number | undefined): boolean {
  try {
    const files = readdirSync(`/proc/${pid}/fd`).map((name) => readlinkSync(`/proc/${pid}/fd/${name}`))
    const sockets = readFileSync('/proc/net/netlink', 'utf8').split('\n')
    return sockets.some((line) => {
      const [, , , groups = '0', ...others] = line.trim().split(/ +/)
      return (Number.parseInt(groups, 16) & NFTABLES_GROUP) !== 0 && files.includes(`socket:[${others.at(-1)}]`)
    })
  } catch {
    return false // The process has ended, or opens and closes files.
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
 * The monitor ends this often in a row before it is given up, unless it was ready once: the kernel or the tool does not
 * support it.
 */
const MOST_FAILURES = 5

/** The part of the time that reading the rules may take, unless a change would wait too long: one of this many. */
const SHARE = 100

/** The part of the time that reading the rules of a large node may take: one of this many. */
const LARGEST_SHARE = 10

export interface RuleWatchOptions {
  readonly start: StartRuleMonitor
  /** Called after other programs may have changed rules. */
  readonly onForeignChange: () => void
  /** Reports whether the rules were read before, so that a change before the first monitor was ready is not known. */
  readonly isRead: () => boolean
  readonly log: Logger
  readonly times?: RuleWatchTimes
}

/**
 * Watches for transactions of other programs. Transactions during the commands that pass through `runOwn` count as own,
 * up to the number that these commands commit.
 */
export function watchRules({ start, onForeignChange, isRead, log, times = RULE_WATCH_TIMES }: RuleWatchOptions) {
  const own = createOwnTransactions(times)
  let lastReport = Number.NEGATIVE_INFINITY
  let cost = 0
  let failures = 0
  let wasReady = false
  let isStopped = false
  let monitor: RuleMonitor | undefined
  let reporting: NodeJS.Timeout | undefined
  let restarting: NodeJS.Timeout | undefined

  function onLine(line: string): void {
    if (!line.includes('NEWGEN')) return
    failures = 0
    if (!own.take()) report(times.gap)
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
    monitor = start({ onLine, onReady, onEnd })
  }

  /** Reports the changes that no monitor has received. The read follows, so that it misses nothing. */
  function onReady(): void {
    if (wasReady || isRead()) report(times.gapAfterEnd)
    wasReady = true
  }

  /**
   * Starts the monitor again. A large transaction, a busy machine, or a rule that the monitor cannot print, ends it, and
   * reports of others may be lost with it. An end during an own large transaction is no failure.
   */
  function onEnd(error: string): void {
    if (isStopped) return
    if (!own.mayHaveEndedMonitor()) failures += 1
    if (failures >= MOST_FAILURES && !wasReady) {
      log.warning('changes of rules by other programs are found late: no xtables-monitor', { error })
      return
    }
    const isRepeated = failures >= MOST_FAILURES
    if (isRepeated) log.warning('xtables-monitor ends again and again', { error })
    restarting = setTimeout(begin, isRepeated ? times.gap : times.restart)
  }

  begin()
  return {
    runOwn: own.run,
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
