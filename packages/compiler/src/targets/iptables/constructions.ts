import type { ServicePlan } from '../../plan/plan.js'
import { natFirewallBlocks } from './drops-in-nat.js'
import type { Lowering } from './lowering.js'
import { type ServiceBlocks, serviceBlocks } from './service-blocks.js'
import { blocksWithXlb } from './xlb/service-blocks.js'

/** Returns the blocks of a service port in the construction of the version. */
export function blocksOf(plan: ServicePlan, lowering: Lowering): ServiceBlocks {
  const { dropsInFilter, xlbChains } = lowering.features
  if (dropsInFilter) return serviceBlocks(plan, lowering)
  return xlbChains ? blocksWithXlb(plan, lowering) : natFirewallBlocks(plan, lowering)
}
