import type { TableContribution } from '../../dataplane/nftables/state.js'
import type { ModeLowering } from '../mode-lowering.js'
import { assembleNftablesMode } from './assemble.js'
import { countContributions } from './count-contributions.js'
import { limitationsOf } from './limitations.js'
import { createLoweringContext, type LoweringContext } from './lowering-context.js'
import { createServiceContribution } from './service-contribution.js'

/** Converts a plan to the node state in `nftables` mode. */
export const nftablesLowering: ModeLowering<LoweringContext, TableContribution> = {
  limitationsOf,
  validate: () => [],
  lowering: createLoweringContext,
  lowerService: createServiceContribution,
  countParts: countContributions,
  assemble: assembleNftablesMode,
  hostRequirements: () => undefined,
}
