import type { IpFamily } from '@kube-rules/types'
import type { Features } from '../configuration/features.js'

/** What reading endpoints depends on, apart from the object itself. */
export interface EndpointContext {
  /** The node the rules are for; empty means that no endpoint is local. */
  readonly nodeName: string
  readonly features: Features
}

/** What reading objects depends on, apart from the objects. */
export interface ModelContext extends EndpointContext {
  readonly families: readonly IpFamily[]
}
