import type { NodeState } from '../../dataplane/languages.js'
import type { Inspection, Mode, StateCounts } from '../mode.js'
import { inspectBlock, inspectFixedBlocks, sumOfCounts } from '../shared/inspect-block.js'
import { assemble } from './assemble.js'
import { FILTER_CHAINS, NAT_CHAINS } from './fixed-rules.js'
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
  inspectPart,
  assemble,
  inspectState,
  hostSettings: () => undefined,
}

function inspectPart({ filter, nat }: ServiceBlocks): StateCounts {
  return sumOfCounts([inspectBlock(filter, 'filter', FILTER_CHAINS), inspectBlock(nat, 'nat', NAT_CHAINS)])
}

function inspectState({ iptables }: NodeState): Inspection {
  return { counts: sumOfCounts(iptables?.tables.map(inspectFixedBlocks) ?? []), diagnostics: [] }
}
