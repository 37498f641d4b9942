import type { IpFamily } from '@kube-rules/types'
import type { Features } from '../configuration/features.js'

/** The inputs for reading the objects of a cluster, except the objects. */
export interface ModelContext {
  /** The node to compile for. If it is empty, no endpoint is local. */
  readonly nodeName: string
  readonly families: readonly IpFamily[]
  readonly features: Features
}
