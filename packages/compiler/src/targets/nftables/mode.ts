import type { TableContribution } from '../../dataplane/nftables/state.js'
import type { Mode } from '../mode.js'
import { assemble } from './assemble.js'
import { countParts } from './count-parts.js'
import { LIMITATIONS, limitationsOf } from './limitations.js'
import { type Lowering, lowering } from './lowering.js'
import { serviceContribution } from './service-contribution.js'

/** Mode `nftables`. */
export const nftablesMode: Mode<Lowering, TableContribution> = {
  languages: ['nftables'],
  limitations: LIMITATIONS,
  limitationsOf,
  validate: () => [],
  lowering,
  lowerService: serviceContribution,
  countParts,
  assemble,
  hostSettings: () => undefined,
}
