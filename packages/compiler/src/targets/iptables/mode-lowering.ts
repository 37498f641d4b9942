import type { ContributionCounts, ModeLowering } from '../mode-lowering.js'
import { countBlocks } from '../shared/count-blocks.js'
import { assembleIptablesMode } from './assemble.js'
import { limitationsOf } from './legacy-limitations.js'
import { createLoweringContext, type LoweringContext } from './lowering-context.js'
import type { ServiceBlocks } from './service-blocks.js'
import { versionedServiceBlocks } from './versioned-service-blocks.js'

/** The lowering of mode `iptables`. */
export const iptablesLowering: ModeLowering<LoweringContext, ServiceBlocks> = {
  limitationsOf,
  validate: () => [],
  lowering: createLoweringContext,
  lowerService: versionedServiceBlocks,
  countParts,
  assemble: assembleIptablesMode,
  hostRequirements: () => undefined,
}

function countParts(parts: readonly ServiceBlocks[]): ContributionCounts {
  const filter = countBlocks(parts.map((part) => part.filter))
  const nat = countBlocks(parts.map((part) => part.nat))
  return { chains: filter.chains + nat.chains, rules: filter.rules + nat.rules }
}
