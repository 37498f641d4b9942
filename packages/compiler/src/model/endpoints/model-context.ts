import type { IpFamily } from '@kube-rules/types'
import type { Features } from '../configuration/features.js'

/** What the model depends on, apart from the objects. */
export interface ModelContext {
  /** The node the rules are for; empty means that no endpoint is local. */
  readonly nodeName: string
  readonly families: readonly IpFamily[]
  readonly features: Features
}
