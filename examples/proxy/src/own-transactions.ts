import type { RunTool } from './run-tool.js'

/** The transactions that an own command may still cause, and the time until which they count as own. */
interface OwnTransactions {
  count: number
  until: number
}

export interface OwnTransactionTimes {
  /** How long after a command its transactions may be reported, in milliseconds. */
  readonly late: number
  /** How long after a large command its transaction may end the monitor. */
  readonly gap: number
}

/** The length of the input of an own command whose transaction may end the monitor. */
const LARGE = 50_000

/** Counts the transactions of own commands, so that those of other programs can be told from them. */
export function createOwnTransactions({ late, gap }: OwnTransactionTimes) {
  let own: OwnTransactions[] = []
  let largeUntil = Number.NEGATIVE_INFINITY
  return {
    /** Counts a transaction. Returns whether it is own. */
    take: (): boolean => {
      const now = performance.now()
      own = own.filter(({ count, until }) => count > 0 && now < until)
      const [first] = own
      if (first !== undefined) first.count -= 1
      return first !== undefined
    },
    /** Reports whether a large own transaction may have ended the monitor. */
    mayHaveEndedMonitor: (): boolean => performance.now() < largeUntil,
    /** Runs a tool whose transactions are own. */
    run: async (run: RunTool, ...[tool, args, input = '']: Parameters<RunTool>): ReturnType<RunTool> => {
      const count = Math.max(1, input.match(/^COMMIT$/gm)?.length ?? 0)
      const transactions: OwnTransactions = { count, until: Number.POSITIVE_INFINITY }
      own.push(transactions)
      if (input.length > LARGE) largeUntil = Number.POSITIVE_INFINITY
      try {
        return await run(tool, args, input)
      } finally {
        transactions.until = performance.now() + late
        if (input.length > LARGE) largeUntil = performance.now() + gap
      }
    },
  }
}
