import type { IpFamily } from '@kube-rules/types'
import type { Settings } from '../configuration/settings.js'
import type { NodeFacts } from '../node/node-facts.js'
import type { ServicePort } from './service-port.js'

/** What exists, for one address family: everything later stages may know of Kubernetes. */
export interface Model {
  readonly family: IpFamily
  readonly node: NodeFacts
  readonly settings: Settings
  /** In code-unit order of `id.text`, then protocol. */
  readonly servicePorts: readonly ServicePort[]
}
