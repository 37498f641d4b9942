import type { EventEmitter } from 'node:events'
import { constants } from 'node:os'

const SIGNALS = ['SIGTERM', 'SIGINT'] as const

type EndSignal = (typeof SIGNALS)[number]

/**
 * Calls `stop` on the first SIGTERM or SIGINT, and `end` on a second one, with the exit status of a shell for a program
 * that this signal ended.
 */
export function handleSignals(
  source: Pick<EventEmitter, 'on'>,
  stop: (signal: EndSignal) => void,
  end: (exitCode: number) => void,
): void {
  let isFirst = true
  for (const signal of SIGNALS)
    source.on(signal, () => {
      if (!isFirst) return end(128 + constants.signals[signal])
      isFirst = false
      stop(signal)
    })
}
