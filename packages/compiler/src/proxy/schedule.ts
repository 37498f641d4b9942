/** Times of a schedule, in milliseconds. */
export interface ScheduleOptions {
  /** The minimum time between the starts of two updates: `minSyncPeriod`. */
  readonly minInterval: number
  /** The first pause after a failure; each further one doubles it, up to `longestPause`. */
  readonly firstPause: number
  readonly longestPause: number
}

/** Plans the times of updates. It is passive: the caller reports all events, and has the clock. */
export interface Schedule {
  /** Requests an update. Requests until its start are one update. */
  request(): void
  /** Returns when the next update starts; undefined if none was requested, or one is running. */
  next(): number | undefined
  /** Records the start of an update. */
  started(now: number): void
  /** Records its end. A failed update is repeated. */
  ended(now: number, succeeded: boolean): void
}

/**
 * Creates a schedule for one update at a time, at a limited rate, and again after failures. A request ends a long pause
 * after a failure, because the change may make the update succeed. Mirrors `BoundedFrequencyRunner` of kube-proxy,
 * except for the growing pauses.
 *
 * @example
 * ```ts
 * const schedule = createSchedule({ minInterval: 1_000, firstPause: 1_000, longestPause: 30_000 })
 * schedule.request()
 * schedule.started(5_000)
 * schedule.ended(5_020, true)
 * schedule.request()
 * schedule.next() // => 6000
 * ```
 */
export function createSchedule({ minInterval, firstPause, longestPause }: ScheduleOptions): Schedule {
  let lastStart = Number.NEGATIVE_INFINITY
  let notBefore = Number.NEGATIVE_INFINITY
  let failures = 0
  let isRequested = false
  let isRunning = false
  return {
    request: () => {
      isRequested = true
      notBefore = Math.min(notBefore, lastStart + firstPause)
    },
    next: () => (isRequested && !isRunning ? Math.max(lastStart + minInterval, notBefore) : undefined),
    started: (now) => {
      isRequested = false
      isRunning = true
      lastStart = now
    },
    ended: (now, succeeded) => {
      isRunning = false
      isRequested ||= !succeeded
      notBefore = succeeded ? Number.NEGATIVE_INFINITY : now + Math.min(longestPause, firstPause * 2 ** failures)
      failures = succeeded ? 0 : failures + 1
    },
  }
}
