import { checkEntry, checkIpset } from '../../dataplane/ipset/check.js'
import { checkVirtualServer } from '../../dataplane/ipvs/check.js'
import { append } from '../../internal/append.js'
import { invariant } from '../../internal/invariant.js'
import { inspectBlock, inspectFixedBlocks, sumOfCounts } from '../shared/inspect-block.js'
import type { Inspection, StateCounts, Target } from '../target.js'
import { diffIpvs } from './diff-ipvs.js'
import { FILTER_CHAINS } from './filter-rules.js'
import { LIMITATIONS, limitationsOf } from './limitations.js'
import { assemble } from './lower.js'
import { type Lowering, lowering } from './lowering.js'
import { planIpvs } from './plan-ipvs.js'
import { checkScheduler } from './scheduler.js'
import { type ServiceEntries, serviceEntries } from './service-entries.js'
import { mayOverflow } from './set-sizes.js'
import { type SetEntry, setDefinition } from './sets.js'
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

/**
 * Each virtual server by itself: of those with one address, which a single Service can ask for, the state has the first.
 * Entries are looked at without regard to their number.
 */
function inspectPart({ virtualServers, nodePortServers, setEntries, filter }: ServiceEntries): StateCounts {
  const problems: unknown[] = []
  for (const server of virtualServers) append(problems, checkVirtualServer(server))
  for (const server of nodePortServers) append(problems, checkVirtualServer(server))
  const family = setEntries.some(isOfIPv6) ? 'IPv6' : 'IPv4'
  for (const { set, entry } of setEntries) append(problems, checkEntry(setDefinition(set, family), entry))
  if (problems.length > 0) {
    invariant(false, `servers or entries that the kernel would refuse: ${JSON.stringify(problems)}`)
  }
  return inspectBlock(filter, 'filter', FILTER_CHAINS)
}

function isOfIPv6({ entry }: SetEntry): boolean {
  return 'address' in entry && entry.address.includes(':')
}

/** Sets are limited in size, and a large cluster may have more than they take. */
function inspectState(state: IpvsModeState): Inspection {
  return {
    counts: sumOfCounts(state.iptables.tables.map(inspectFixedBlocks)),
    diagnostics: mayOverflow(state.services) ? checkIpset(state.ipsets) : [],
  }
}
