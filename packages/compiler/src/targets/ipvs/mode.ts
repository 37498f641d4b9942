import { checkEntry, checkIpset } from '../../dataplane/ipset/check.js'
import { checkVirtualServer } from '../../dataplane/ipvs/check.js'
import type { NodeState } from '../../dataplane/languages.js'
import { append } from '../../internal/append.js'
import { invariant } from '../../internal/invariant.js'
import type { Inspection, Mode, StateCounts } from '../mode.js'
import { inspectBlock, inspectFixedBlocks, sumOfCounts } from '../shared/inspect-block.js'
import { assemble } from './assemble.js'
import { FILTER_CHAINS } from './filter-rules.js'
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
  inspectPart,
  assemble,
  inspectState,
  hostSettings,
}

/**
 * Each virtual server by itself: of those with one address, which a single Service can ask for, the state has the first.
 * Entries are looked at without regard to their number.
 */
function inspectPart({ virtualServers, yieldingServers, entries, filter }: ServiceEntries): StateCounts {
  const problems: unknown[] = []
  for (const server of virtualServers) append(problems, checkVirtualServer(server))
  for (const server of yieldingServers) append(problems, checkVirtualServer(server))
  for (const { set, entry } of entries) if (set.type !== 'unknown') append(problems, checkEntry(set, entry))
  if (problems.length > 0) {
    invariant(false, `servers or entries that the kernel would refuse: ${JSON.stringify(problems)}`)
  }
  return inspectBlock(filter, 'filter', FILTER_CHAINS)
}

/** Sets are limited in size, and a large cluster may have more than they take. */
function inspectState({ iptables, ipset }: NodeState, services: readonly ServiceEntries[]): Inspection {
  return {
    counts: sumOfCounts(iptables?.tables.map(inspectFixedBlocks) ?? []),
    diagnostics: ipset !== undefined && mayOverflow(services) ? checkIpset(ipset) : [],
  }
}
