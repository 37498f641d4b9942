import type { TableContribution } from '../../dataplane/nftables/state.js'
import { sameValue } from '../../diff/resource.js'
import type { ServicePlan } from '../../plan/plan.js'
import type { Mode } from '../mode.js'
import { sameEndpoints, samePackets } from '../shared/same-packets.js'
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
  isSamePart,
  countParts,
  assemble,
  hostSettings: () => undefined,
}

/** Which of the endpoints are on the node makes a difference, too: only these can call themselves. */
function isSamePart(service: ServicePlan, lowered: Lowering, other: ServicePlan, otherLowered: Lowering): boolean {
  return (
    sameValue(lowered, otherLowered) &&
    samePackets(service, other) &&
    sameEndpoints(service.onThisNode, other.onThisNode)
  )
}
