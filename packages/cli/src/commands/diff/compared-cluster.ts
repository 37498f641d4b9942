import type { Cluster } from '@kube-rules/application/cluster'
import type { CompileResult } from '@kube-rules/compiler'
import type { Diagnostic } from '@kube-rules/types'

/** One of the two clusters that are compared. */
export interface ComparedCluster {
  /** For messages. */
  readonly name: string
  readonly cluster: Cluster
  readonly result: CompileResult
  /** Those that are of interest. */
  readonly diagnostics: readonly Diagnostic[]
}
