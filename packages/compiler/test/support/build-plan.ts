import type { IpFamily } from '@kube-rules/types'
import type { FamilySettings } from '../../src/model/configuration/settings.js'
import type { NodeFacts } from '../../src/model/node/node-facts.js'
import type { ServicePort } from '../../src/model/services/service-port.js'
import type { Plan } from '../../src/plan/plan.js'
import { createPlanHeader, planService } from '../../src/plan/plan-service.js'

/** The complete model for one address family. */
export interface Model {
  readonly family: IpFamily
  readonly node: NodeFacts
  readonly settings: FamilySettings
  /** The service ports, in code-unit order of `id.text`, then protocol. */
  readonly servicePorts: readonly ServicePort[]
}

/** Builds the plan of a model, without reusing an earlier one. */
export function buildPlan(model: Model, plan: typeof planService = planService): Plan {
  const services = model.servicePorts.map((servicePort) => plan(servicePort, model))
  const endpointCount = services.reduce((total, service) => total + service.endpointCount, 0)
  return { ...createPlanHeader(model.family, model, endpointCount), services, unassignedEndpoints: [] }
}
