import { checkIpset } from '../../dataplane/ipset/check.js'
import type { NodeState } from '../../dataplane/languages.js'
import type { Inspection, Mode } from '../mode.js'
import { countBlock, countFixedBlocks, sumOfCounts } from '../shared/count-blocks.js'
import { assemble } from './assemble.js'
import { hostSettings } from './host-settings.js'
import { LIMITATIONS, limitationsOf } from './limitations.js'
import { type Lowering, lowering } from './lowering.js'
import { isSamePart } from './same-part.js'
import { checkScheduler } from './scheduler.js'
import { type ServiceEntries, serviceEntries } from './service-entries.js'
import { mayOverflow } from './set-sizes.js'

/** Mode `ipvs`. */
export const ipvsMode: Mode<Lowering, ServiceEntries> = {
  languages: ['ipset', 'ipvs', 'addresses', 'iptables'],
  limitations: LIMITATIONS,
  limitationsOf,
  validate: checkScheduler,
  lowering,
  lowerService: serviceEntries,
  isSamePart,
  countPart: ({ filter }) => countBlock(filter),
  assemble,
  inspectState,
  hostSettings,
}

/** Sets are limited in size, and a large cluster may have more than they take. */
function inspectState({ iptables, ipset }: NodeState, services: readonly ServiceEntries[]): Inspection {
  return {
    counts: sumOfCounts(iptables?.tables.map(countFixedBlocks) ?? []),
    diagnostics: ipset !== undefined && mayOverflow(services) ? checkIpset(ipset) : [],
  }
}
