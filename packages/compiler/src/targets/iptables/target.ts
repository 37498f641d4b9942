import type { IptablesState } from '../../dataplane/iptables/ast.js'
import { diffIptables } from '../../dataplane/iptables/diff-state.js'
import { planIptables } from '../../dataplane/iptables/script.js'
import { inspectBlock, inspectFixedBlocks, sumOfCounts } from '../shared/inspect-block.js'
import type { Inspection, StateCounts, Target } from '../target.js'
import { FILTER_CHAINS, NAT_CHAINS } from './fixed-rules.js'
import { LIMITATIONS } from './limitations.js'
import { assemble } from './lower.js'
import { type Lowering, lowering } from './lowering.js'
import { type ServiceBlocks, serviceBlocks } from './service-blocks.js'

/** Mode `iptables`. Its limitations are nothing to report of a service port: no Service is served otherwise for them. */
export const iptablesTarget: Target<IptablesState, Lowering, ServiceBlocks> = {
  limitations: LIMITATIONS,
  limitationsOf: () => [],
  validate: () => [],
  lowering,
  lowerService: serviceBlocks,
  inspectPart,
  assemble,
  inspectState,
  diff: diffIptables,
  script: (patch, { family, backend, ensure }) => planIptables(patch, { family, backend, ensureJumps: ensure }),
}

function inspectPart({ filter, nat }: ServiceBlocks): StateCounts {
  return sumOfCounts([inspectBlock(filter, 'filter', FILTER_CHAINS), inspectBlock(nat, 'nat', NAT_CHAINS)])
}

function inspectState({ tables }: IptablesState): Inspection {
  return { counts: sumOfCounts(tables.map(inspectFixedBlocks)), diagnostics: [] }
}
