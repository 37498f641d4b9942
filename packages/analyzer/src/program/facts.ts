import type { CoverageQueries } from '@kube-rules/compiler/internal/dataplane/netfilter/coverage'
import type { Ternary } from '@kube-rules/compiler/internal/dataplane/netfilter/ternary'

/** The facts about a node that do not follow from its rules. */
export interface NodeFacts {
  /** The completeness of the state; absent if the state is complete. */
  readonly coverage?: CoverageQueries | undefined
  /** Reports whether an address is local. */
  readonly isLocal: (address: string) => Ternary
  /** The addresses of the interfaces of the node; absent if they are not known. */
  readonly addresses?: readonly string[] | undefined
  /**
   * Returns the number of seconds since an address was last seen in a list (`-m recent`). Returns undefined if the list
   * has no entry for the address.
   */
  readonly secondsSinceSeen: (list: string, address: string) => number | undefined
  /**
   * Returns the real server (`10.1.0.1:80`) in the persistence entry of a client for a virtual server
   * (`10.96.0.1:80/TCP`). Returns undefined without such an entry.
   */
  readonly persistentServer: (virtualServer: string, client: string) => string | undefined
}
