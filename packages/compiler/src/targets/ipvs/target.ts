import { checkIpset } from '../../dataplane/ipset/check.js'
import { checkIpvs } from '../../dataplane/ipvs/check.js'
import { invariant } from '../../internal/invariant.js'
import { inspectBlock, inspectFixedBlocks, sumOfCounts } from '../shared/inspect-block.js'
import type { Inspection, StateCounts, Target } from '../target.js'
import { diffIpvs } from './diff-ipvs.js'
import { FILTER_CHAINS } from './filter-rules.js'
import { LIMITATIONS, limitationsOf } from './limitations.js'
import { loadableSets } from './loadable-sets.js'
import { assemble } from './lower.js'
import { type Lowering, lowering } from './lowering.js'
import { planIpvs } from './plan-ipvs.js'
import { checkScheduler } from './scheduler.js'
import { type ServiceEntries, serviceEntries } from './service-entries.js'
import type { IpvsModeState } from './state.js'

/** Mode `ipvs`. */
export const ipvsTarget: Target<IpvsModeState, Lowering, ServiceEntries> = {
  limitations: LIMITATIONS,
  limitationsOf,
  validate: checkScheduler,
  lowering,
  lowerService: serviceEntries,
  inspectPart,
  assemble,
  inspectState,
  diff: diffIpvs,
  script: planIpvs,
}

/** Each virtual server by itself: of those with one address, which a single Service can ask for, the state has the first. */
function inspectPart({ virtualServers, nodePortServers, filter }: ServiceEntries): StateCounts {
  const servers = [...virtualServers, ...nodePortServers]
  const problems = servers.flatMap((server) => checkIpvs({ virtualServers: [server] }))
  invariant(problems.length === 0, `virtual servers that ipvsadm would refuse: ${JSON.stringify(problems)}`)
  return inspectBlock(filter, 'filter', FILTER_CHAINS)
}

/** Sets are limited in size, and a large cluster may have more than they take. */
function inspectState({ ipsets, iptables }: IpvsModeState): Inspection {
  return {
    counts: sumOfCounts(iptables.tables.map(inspectFixedBlocks)),
    diagnostics: checkIpset(loadableSets(ipsets)),
  }
}
