import type { FamilySettings } from '../model/configuration/settings.js'
import type { NodeFacts } from '../model/node/node-facts.js'

/** The inputs of the plan of a service port, except the service port itself. */
export interface PlanContext {
  readonly node: NodeFacts
  readonly settings: FamilySettings
}
