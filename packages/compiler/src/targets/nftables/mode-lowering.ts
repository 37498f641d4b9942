import type { TableContribution } from '../../dataplane/nftables/state.js'
import type { ModeLowering } from '../mode-lowering.js'
import { assemble } from './assemble.js'
import { countParts } from './count-parts.js'
import { limitationsOf } from './limitations.js'
import { type Lowering, lowering } from './lowering.js'
import { serviceContribution } from './service-contribution.js'

/** The lowering of mode `nftables`. */
export const nftablesLowering: ModeLowering<Lowering, TableContribution> = {
  limitationsOf,
  validate: () => [],
  lowering,
  lowerService: serviceContribution,
  countParts,
  assemble,
  hostRequirements: () => undefined,
}
