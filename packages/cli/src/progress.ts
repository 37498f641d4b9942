import { writeSync } from 'node:fs'
import { Worker } from 'node:worker_threads'

/** Shows what a long run is doing, on one line of a terminal. */
export interface Progress {
  /** Starts a phase of work, with this name. */
  start(phase: string): void
  /** Removes the line. Resolves when nothing more will be written. */
  stop(): Promise<void>
}

/** Shows nothing. */
export const NO_PROGRESS: Progress = { start: () => {}, stop: async () => {} }

const STDERR = 2
const CLEAR_LINE = '\r\u001b[K'

/**
 * Creates a progress line on standard error, which appears after `delay` milliseconds. Another thread writes the line,
 * because the work blocks the main thread.
 */
export function createProgress(delay = 2_000): Progress {
  const started = Date.now()
  let worker: Worker | undefined
  return {
    start: (phase) => {
      worker ??= startWorker({ delay, started })
      worker.postMessage(phase)
    },
    stop: async () => {
      if (worker === undefined) return
      const stopped = worker
      worker = undefined
      await stopped.terminate()
      if (Date.now() - started >= delay) writeSync(STDERR, CLEAR_LINE)
    },
  }
}

function startWorker(workerData: { readonly delay: number; readonly started: number }): Worker {
  const worker = new Worker(`(${showPhases.toString()})(require)`, { eval: true, workerData })
  // The worker must not keep the process alive: a finished command does not wait for it.
  worker.unref()
  return worker
}

/**
 * The program of the worker thread. The program is passed to the thread as text, so it must not refer to other
 * declarations in this file.
 */
function showPhases(load: NodeJS.Require): void {
  const { parentPort, workerData } = load('node:worker_threads') as typeof import('node:worker_threads')
  const { writeSync: write } = load('node:fs') as typeof import('node:fs')
  const { delay, started } = workerData as { readonly delay: number; readonly started: number }
  let phase = ''
  const show = () => {
    const seconds = Math.floor((Date.now() - started) / 1_000)
    if (Date.now() - started >= delay) write(2, `\r\u001b[K${phase}: ${seconds} s`)
  }
  parentPort?.on('message', (next: string) => {
    phase = next
    show()
  })
  setInterval(show, 200)
}
