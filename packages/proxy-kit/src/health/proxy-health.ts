/** The taint of a Node that the cluster autoscaler is about to remove. */
const TO_BE_DELETED = 'ToBeDeletedByClusterAutoscaler'

/** The fields of a Node that show whether it is going to be removed. */
export interface NodeEligibilityFields {
  /** The metadata, with a deletion time if the Node is being deleted. */
  readonly metadata?: { readonly deletionTimestamp?: string | undefined } | undefined
  /** The specification, with the taints of the Node. */
  readonly spec?: { readonly taints?: readonly { readonly key: string }[] | undefined } | undefined
}

/** The health of the proxy, the content of `/healthz` and `/livez`. */
export interface HealthStatus {
  /** The status code of HTTP. */
  readonly status: 200 | 503
  /** The time of the last update in milliseconds; the current time if the status is 200, and 0 before any update. */
  readonly lastUpdated: number
  /** Whether load balancers should use the Node: it is neither being deleted nor about to be removed. */
  readonly nodeEligible: boolean
  /** Whether no change waits for too long, regardless of the state of the Node. */
  readonly isHealthy: boolean
  /** The time of the last update; undefined before any update. */
  readonly updated: number | undefined
}

/** Tracks whether changes reach the kernel, and whether load balancers should use the Node. Times are milliseconds. */
export interface ProxyHealth {
  /** Records that a change waits for an update. */
  queued(now: number): void
  /** Records the success of an update that started at `since`. Changes after that time still wait. */
  updated(now: number, since: number): void
  /** Records the Node, which is not eligible while it is being deleted. Undefined means that the Node does not exist. */
  setNode(node: NodeEligibilityFields | undefined): void
  /**
   * Reports whether no change waits for too long, regardless of the state of the Node. Health-check node ports use this
   * result.
   */
  isHealthy(now: number): boolean
  /** Returns the content of `/livez`, or that of `/healthz`, which also depends on the Node. */
  report(path: '/livez' | '/healthz', now: number): HealthStatus
}

/** Options of the health of a proxy. */
export interface ProxyHealthOptions {
  /** Whether the Node is not eligible before `setNode`, as in kube-proxy 1.35 and newer. Default: false. */
  readonly needsNode?: boolean | undefined
}

/**
 * Creates the health of a proxy. The proxy is healthy until the first update, and as long as no change waits longer
 * than `timeout`, which is twice the `syncPeriod` in kube-proxy. Mirrors `ProxyHealthServer`.
 *
 * @example
 * ```ts
 * const health = createProxyHealth(60_000)
 * health.updated(1_000, 0)
 * health.queued(2_000)
 * health.report('/livez', 61_999).status // => 200
 * health.report('/livez', 62_000).status // => 503
 * ```
 */
export function createProxyHealth(timeout: number, { needsNode = false }: ProxyHealthOptions = {}): ProxyHealth {
  let lastUpdated: number | undefined
  let oldestPending: number | undefined
  let nodeEligible = !needsNode
  const isHealthy = (now: number) =>
    lastUpdated === undefined || oldestPending === undefined || now - oldestPending < timeout
  return {
    isHealthy,
    queued: (now) => {
      oldestPending ??= now
    },
    updated: (now, since) => {
      lastUpdated = now
      if (oldestPending !== undefined && oldestPending <= since) oldestPending = undefined
    },
    setNode: (node) => {
      const isTainted = node?.spec?.taints?.some(({ key }) => key === TO_BE_DELETED) ?? false
      nodeEligible = node !== undefined && node.metadata?.deletionTimestamp === undefined && !isTainted
    },
    report: (path, now) => {
      const ok = isHealthy(now) && (path === '/livez' || nodeEligible)
      return {
        ...{ status: ok ? 200 : 503, lastUpdated: ok ? now : (lastUpdated ?? 0), nodeEligible },
        ...{ isHealthy: isHealthy(now), updated: lastUpdated },
      }
    },
  }
}
