import type { ModeLowering, PartCounts } from '../mode-lowering.js'
import { countBlocks } from '../shared/count-blocks.js'
import { assemble } from './assemble.js'
import { blocksOf } from './constructions.js'
import { type Lowering, lowering } from './lowering.js'
import { limitationsOf } from './older-limitations.js'
import type { ServiceBlocks } from './service-blocks.js'

/** The lowering of mode `iptables`. */
export const iptablesLowering: ModeLowering<Lowering, ServiceBlocks> = {
  limitationsOf,
  validate: () => [],
  lowering,
  lowerService: blocksOf,
  countParts,
  assemble,
  hostRequirements: () => undefined,
}

function countParts(parts: readonly ServiceBlocks[]): PartCounts {
  const filter = countBlocks(parts.map((part) => part.filter))
  const nat = countBlocks(parts.map((part) => part.nat))
  return { chains: filter.chains + nat.chains, rules: filter.rules + nat.rules }
}
