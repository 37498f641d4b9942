import type { ModeLowering, PartCounts } from '../mode-lowering.js'
import { countBlocks } from '../shared/count-blocks.js'
import { assemble } from './assemble.js'
import { type Lowering, lowering } from './lowering.js'
import { type ServiceBlocks, serviceBlocks } from './service-blocks.js'

/** ModeLowering `iptables`. Its limitations are nothing to report of a service port: no Service is served otherwise for them. */
export const iptablesLowering: ModeLowering<Lowering, ServiceBlocks> = {
  limitationsOf: () => [],
  validate: () => [],
  lowering,
  lowerService: serviceBlocks,
  countParts,
  assemble,
  hostRequirements: () => undefined,
}

function countParts(parts: readonly ServiceBlocks[]): PartCounts {
  const filter = countBlocks(parts.map((part) => part.filter))
  const nat = countBlocks(parts.map((part) => part.nat))
  return { chains: filter.chains + nat.chains, rules: filter.rules + nat.rules }
}
