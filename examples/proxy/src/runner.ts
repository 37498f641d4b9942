export interface RunnerOptions {
  /** Executes one run. The promise rejects if the run must be repeated. */
  readonly run: () => Promise<void>
  /** The minimum time between the starts of two runs, in milliseconds. */
  readonly minInterval: number
  /** The first pause after a failure; each further one doubles it, up to `longestPause`. */
  readonly firstPause: number
  readonly longestPause: number
  readonly now?: () => number
}

/** Runs one thing at a time, at a limited rate, and again after failures. Mirrors `BoundedFrequencyRunner` of kube-proxy. */
export function createRunner(options: RunnerOptions) {
  const { run, minInterval, firstPause, longestPause, now = Date.now } = options
  let lastStart = Number.NEGATIVE_INFINITY
  let failures = 0
  let notBefore = Number.NEGATIVE_INFINITY
  let isRequested = false
  let stopped = false
  let cancel: (() => void) | undefined
  let running: Promise<void> | undefined

  function schedule(): void {
    if (stopped || !isRequested || running !== undefined) return
    cancel?.()
    const wait = Math.max(lastStart + minInterval, notBefore) - now()
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
    cancel = undefined
    isRequested = false
    lastStart = now()
    running = run()
      .then(
        () => {
          failures = 0
          notBefore = Number.NEGATIVE_INFINITY
        },
        () => {
          notBefore = now() + Math.min(longestPause, firstPause * 2 ** failures)
          failures += 1
          isRequested = true
        },
      )
      .finally(() => {
        running = undefined
        schedule()
      })
  }

  return {
    /** Asks for a run, at once if the last one was long enough ago. Requests until then are one run. */
    request: (): void => {
      isRequested = true
      // The pause after a failure ends early, because the change may make the next run succeed.
      notBefore = Math.min(notBefore, lastStart + firstPause)
      schedule()
    },
    /** Waits for the current run, and starts no other. */
    stop: async (): Promise<void> => {
      stopped = true
      cancel?.()
      await running
    },
  }
}
