import type { ServicePlan } from '../../plan/plan.js'
import type { ContributionCounts, ModeLowering } from '../mode-lowering.js'
import { countBlocks } from '../shared/count-blocks.js'
import { assembleIptablesMode } from './assemble.js'
import { limitationsOf } from './limitations.js'
import { createLoweringContext, type LoweringContext } from './lowering-context.js'
import { createMarkDropServiceBlocks } from './mark-drop-service-blocks.js'
import { createServiceBlocks, type ServiceBlocks } from './service-blocks.js'
import { createXlbServiceBlocks } from './xlb/service-blocks.js'

/** Converts a plan to the node state in `iptables` mode. */
export const iptablesLowering: ModeLowering<LoweringContext, ServiceBlocks> = {
  limitationsOf,
  validate: () => [],
  lowering: createLoweringContext,
  lowerService: createServiceBlocksOfVersion,
  countParts,
  assemble: assembleIptablesMode,
  hostRequirements: () => undefined,
}

function countParts(parts: readonly ServiceBlocks[]): ContributionCounts {
  const filter = countBlocks(parts.map((part) => part.filter))
  const nat = countBlocks(parts.map((part) => part.nat))
  return { chains: filter.chains + nat.chains, rules: filter.rules + nat.rules }
}

/** Returns the chains and rules of a service port as the selected version of kube-proxy writes them. */
export function createServiceBlocksOfVersion(plan: ServicePlan, lowering: LoweringContext): ServiceBlocks {
  const { dropsInFilter, xlbChains } = lowering.features
  if (dropsInFilter) return createServiceBlocks(plan, lowering)
  return xlbChains ? createXlbServiceBlocks(plan, lowering) : createMarkDropServiceBlocks(plan, lowering)
}
