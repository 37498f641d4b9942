import { setTimeout as sleep } from 'node:timers/promises'
import { createUpdateScheduler, type UpdateSchedulerOptions } from '@kube-rules/proxy-kit'

/** A tool may hang for longer. The kubelet kills a container 30 seconds after SIGTERM. */
const LONGEST_STOP = 20_000

/**
 * Calls `run` at the times of a schedule, one call at a time. `run` rejects if it must be repeated. The clock is
 * monotonic.
 */
export function createRunner(run: () => Promise<void>, options: UpdateSchedulerOptions) {
  const schedule = createUpdateScheduler(options)
  let stopped = false
  let cancel: (() => void) | undefined
  let running: Promise<void> | undefined

  function arrange(): void {
    cancel?.()
    const next = schedule.next()
    if (stopped || next === undefined) return
    const wait = next - performance.now()
    if (wait > 0) {
      const timer = setTimeout(start, wait)
      cancel = () => clearTimeout(timer)
    } else {
      // The shortest timer waits for a millisecond.
      const immediate = setImmediate(start)
      cancel = () => clearImmediate(immediate)
    }
  }

  function start(): void {
    schedule.started(performance.now())
    const end = (succeeded: boolean) => schedule.ended(performance.now(), succeeded)
    running = run()
      .then(
        () => end(true),
        () => end(false),
      )
      .then(arrange)
  }

  return {
    /** Requests a run, at once if the last one was long enough ago. */
    request: (): void => {
      schedule.request()
      arrange()
    },
    /** Starts no other run, and waits for the current one, at most as long as the limit. */
    stop: async (limit = LONGEST_STOP): Promise<void> => {
      stopped = true
      cancel?.()
      await Promise.race([running, sleep(limit, undefined, { ref: false })])
    },
  }
}
