import type { Endpoint } from '../model/endpoints/endpoint.js'

/** The endpoints that the traffic policies of a service port allow. */
export interface CategorizedEndpoints {
  /** The endpoints for traffic policy Cluster; empty if no policy of the service port needs them. */
  readonly cluster: readonly Endpoint[]
  /** The endpoints for traffic policy Local; empty if no policy of the service port needs them. */
  readonly local: readonly Endpoint[]
  /** The union of `cluster` and `local` without duplicates, in the order of the endpoints of the service port. */
  readonly reachable: readonly Endpoint[]
  /** Whether any endpoint is usable, even if no policy permits traffic from this node to it. */
  readonly hasEndpoints: boolean
}
