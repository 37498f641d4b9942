import type { IpsetState } from '../../dataplane/ipset/ast.js'
import { checkIpset } from '../../dataplane/ipset/check.js'
import { checkIpvs } from '../../dataplane/ipvs/check.js'
import { invariant } from '../../internal/invariant.js'
import { inspectBlock, inspectFixedBlocks, sumOfCounts } from '../shared/inspect-block.js'
import type { Inspection, StateCounts, Target } from '../target.js'
import { diffIpvs } from './diff-ipvs.js'
import { FILTER_CHAINS } from './filter-rules.js'
import { LIMITATIONS, limitationsOf } from './limitations.js'
import { isLoadable, loadableSets } from './loadable-sets.js'
import { assemble } from './lower.js'
import { type Lowering, lowering } from './lowering.js'
import { planIpvs } from './plan-ipvs.js'
import { checkScheduler } from './scheduler.js'
import { type ServiceEntries, serviceEntries } from './service-entries.js'
import { mayOverflow } from './set-sizes.js'
import { membersOf, type SetEntry, setDefinition } from './sets.js'
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
  const servers = [...virtualServers, ...nodePortServers]
  const problems = [
    ...servers.flatMap((server) => checkIpvs({ virtualServers: [server] })),
    ...checkIpset(setsOfPart(setEntries)),
  ]
  invariant(problems.length === 0, `servers or entries that the kernel would refuse: ${JSON.stringify(problems)}`)
  return inspectBlock(filter, 'filter', FILTER_CHAINS)
}

function setsOfPart(entries: readonly SetEntry[]): IpsetState {
  const members = membersOf(entries.filter(({ entry }) => isLoadable(entry)))
  const family = entries.some(({ entry }) => 'address' in entry && entry.address.includes(':')) ? 'IPv6' : 'IPv4'
  const sets = Array.from(members, ([name, entries]) => ({ ...setDefinition(name, family), entries }))
  return { sets: sets.map((set) => ('maxelem' in set ? { ...set, maxelem: set.entries.length } : set)) }
}

/** Sets are limited in size, and a large cluster may have more than they take. */
function inspectState(state: IpvsModeState): Inspection {
  return {
    counts: sumOfCounts(state.iptables.tables.map(inspectFixedBlocks)),
    diagnostics: mayOverflow(state.services) ? checkIpset(loadableSets(state.ipsets)) : [],
  }
}
