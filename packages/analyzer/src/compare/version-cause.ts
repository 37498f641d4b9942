/** A difference between two versions of kube-proxy that changes how a packet is handled. */
export interface VersionCause {
  /** The first version with the change. */
  readonly version: string
  /** The name of the feature. */
  readonly feature: string
  /** The behavior of the newer version. Absent if it is not documented. */
  readonly summary?: string | undefined
  /** The change in Kubernetes: `kubernetes/kubernetes#109060`, `KEP-1669`. Absent if the change is unknown. */
  readonly change?: string | undefined
}
