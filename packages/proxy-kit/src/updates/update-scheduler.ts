/** Times of a schedule, in milliseconds. */
export interface UpdateSchedulerOptions {
  /** The minimum time between the starts of two updates: `minSyncPeriod`. */
  readonly minInterval: number
  /** The first pause after a failure; each further failure doubles the pause, up to `longestPause`. */
  readonly firstPause: number
  /** The longest pause after repeated failures. */
  readonly longestPause: number
}

/** A plan for the start times of updates. It is passive: the caller reports all events and passes the current time. */
export interface UpdateScheduler {
  /** Requests an update. All requests before the start of the update count as one. */
  request(): void
  /** Returns the start time of the next update; undefined if no update was requested, or if an update is running. */
  next(): number | undefined
  /** Records the start of an update. */
  started(now: number): void
  /** Records the end of an update. A failed update is repeated. */
  ended(now: number, succeeded: boolean): void
}

/**
 * Creates a schedule that allows one update at a time, limits the rate of updates, and repeats failed updates after a
 * pause. A request ends a long pause after a failure, because the change may make the update succeed. Mirrors
 * `BoundedFrequencyRunner` of kube-proxy, except for the growing pauses.
 *
 * @example
 * ```ts
 * const schedule = createUpdateScheduler({ minInterval: 1_000, firstPause: 1_000, longestPause: 30_000 })
 * schedule.request()
 * schedule.started(5_000)
 * schedule.ended(5_020, true)
 * schedule.request()
 * schedule.next() // => 6000
 * ```
 */
export function createUpdateScheduler({
  minInterval,
  firstPause,
  longestPause,
}: UpdateSchedulerOptions): UpdateScheduler {
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
