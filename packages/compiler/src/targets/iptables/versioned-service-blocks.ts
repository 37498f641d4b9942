import type { ServicePlan } from '../../plan/plan.js'
import type { LoweringContext } from './lowering-context.js'
import { markDropServiceBlocks } from './mark-drop-service-blocks.js'
import { type ServiceBlocks, serviceBlocks } from './service-blocks.js'
import { xlbServiceBlocks } from './xlb/service-blocks.js'

/** Returns the blocks of a service port in the construction of the version. */
export function versionedServiceBlocks(plan: ServicePlan, lowering: LoweringContext): ServiceBlocks {
  const { dropsInFilter, xlbChains } = lowering.features
  if (dropsInFilter) return serviceBlocks(plan, lowering)
  return xlbChains ? xlbServiceBlocks(plan, lowering) : markDropServiceBlocks(plan, lowering)
}
