import type { NodeState } from '../../dataplane/languages.js'
import { sameValue } from '../../diff/resource.js'
import type { ServicePlan } from '../../plan/plan.js'
import type { Inspection, Mode, StateCounts } from '../mode.js'
import { countBlock, countFixedBlocks, sumOfCounts } from '../shared/count-blocks.js'
import { samePackets } from '../shared/same-packets.js'
import { assemble } from './assemble.js'
import { LIMITATIONS } from './limitations.js'
import { type Lowering, lowering } from './lowering.js'
import { type ServiceBlocks, serviceBlocks } from './service-blocks.js'

/** Mode `iptables`. Its limitations are nothing to report of a service port: no Service is served otherwise for them. */
export const iptablesMode: Mode<Lowering, ServiceBlocks> = {
  languages: ['iptables'],
  limitations: LIMITATIONS,
  limitationsOf: () => [],
  validate: () => [],
  lowering,
  lowerService: serviceBlocks,
  isSamePart,
  countPart,
  assemble,
  inspectState,
  hostSettings: () => undefined,
}

function isSamePart(service: ServicePlan, lowered: Lowering, other: ServicePlan, otherLowered: Lowering): boolean {
  return sameValue(lowered, otherLowered) && samePackets(service, other)
}

function countPart({ filter, nat }: ServiceBlocks): StateCounts {
  return sumOfCounts([countBlock(filter), countBlock(nat)])
}

function inspectState({ iptables }: NodeState): Inspection {
  return { counts: sumOfCounts(iptables?.tables.map(countFixedBlocks) ?? []), diagnostics: [] }
}
