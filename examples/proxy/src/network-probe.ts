export interface NetworkProbeTimes {
  /** The server is probed after so long without a byte from it, in milliseconds. */
  readonly silence: number
  /** The pause after a failed probe, in milliseconds. */
  readonly pause: number
}

export const NETWORK_PROBE_TIMES: NetworkProbeTimes = { silence: 5_000, pause: 500 }

export interface NetworkProbeOptions {
  /** Reports whether the server accepts a new connection. */
  readonly isReachable: () => Promise<boolean>
  /**
   * Called when the server is reachable again. Connections from before the failure may be silent for as long again,
   * because the server doubles the time between its attempts to send lost events.
   */
  readonly onRecovery: (failedSince: number) => void
  readonly times?: NetworkProbeTimes | undefined
}

/** Finds network failures that connections survive. Probes only a silent server. The clock is `performance.now`. */
export function createNetworkProbe({ isReachable, onRecovery, times = NETWORK_PROBE_TIMES }: NetworkProbeOptions) {
  let lastByte = performance.now()
  let failedSince: number | undefined
  let isStopped = false
  let timer: NodeJS.Timeout

  function probeAfter(wait: number): void {
    if (!isStopped) timer = setTimeout(() => void probe(), wait)
  }

  async function probe(): Promise<void> {
    const start = performance.now()
    const rest = lastByte + times.silence - start
    if (failedSince === undefined && rest > 0) return probeAfter(rest)
    if (!(await isReachable())) {
      failedSince ??= start
      return probeAfter(times.pause)
    }
    if (failedSince !== undefined && !isStopped) onRecovery(failedSince)
    failedSince = undefined
    probeAfter(times.silence)
  }

  probeAfter(times.silence)
  return {
    /** Records that a byte has arrived from the server. */
    hear: (): void => {
      lastByte = performance.now()
    },
    stop: (): void => {
      isStopped = true
      clearTimeout(timer)
    },
  }
}
