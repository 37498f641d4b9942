import type { AddressState } from '../../dataplane/addresses/ast.js'
import { stateOfContributions as addressesOf } from '../../dataplane/addresses/claims.js'
import type { IpsetState } from '../../dataplane/ipset/ast.js'
import { checkIpset } from '../../dataplane/ipset/check.js'
import { stateOfContributions as setsOf } from '../../dataplane/ipset/claims.js'
import type { Block, IptablesState } from '../../dataplane/iptables/ast.js'
import type { IpvsState } from '../../dataplane/ipvs/ast.js'
import { stateOfContributions as serversOf } from '../../dataplane/ipvs/claims.js'
import type { NodeState } from '../../dataplane/node-state.js'
import { kept, sameValue } from '../../patch/resource.js'
import type { PlanFrame } from '../../plan/plan.js'
import type { Assembled, Earlier, Parts } from '../mode-lowering.js'
import { type FixedBlocks, fixedBlocksOf, tableOfParts } from '../shared/block-list.js'
import { countFixed } from '../shared/count-blocks.js'
import { filterHead, filterTail } from './filter-rules.js'
import { FILTER_JUMPS, NAT_JUMPS } from './jumps.js'
import { natBlock } from './nat-rules.js'
import { filledSets, mayOverflow } from './part-counts.js'
import type { ServiceEntries } from './service-entries.js'
import { setDefinitions } from './sets.js'

/** The languages of mode ipvs, all of which its states have. */
export interface IpvsNodeState extends NodeState {
  readonly ipset: IpsetState
  readonly ipvs: IpvsState
  readonly addresses: AddressState
  readonly iptables: IptablesState
}

/**
 * The virtual servers, sets, addresses and rules of one family from the entries of its service ports. Mirrors
 * `syncProxyRules` of the ipvs proxier of kube-proxy v1.30 (service ports in the plan's order).
 */
export function assemble(
  services: Parts<ServiceEntries>,
  frame: PlanFrame,
  earlier?: Earlier<ServiceEntries>,
): Assembled<IpvsNodeState> {
  const { family } = frame
  const { nat, filter } = fixedBlocks(services, frame, earlier)
  const ipset = setsOf(setDefinitions(family), services.list)
  const state = {
    family,
    ipset,
    ipvs: serversOf(services.list),
    addresses: addressesOf(services.list),
    iptables: {
      family,
      tables: [
        { name: 'nat' as const, jumps: NAT_JUMPS, blocks: [nat] },
        tableOfParts({ name: 'filter', jumps: FILTER_JUMPS }, filter, services, (service) => service.filter, earlier),
      ],
    },
  }
  const counts = countFixed([nat, filter.head, filter.tail], [...NAT_JUMPS, ...FILTER_JUMPS])
  // Sets are limited in size, and a large cluster may have more than they take.
  return { state, inspection: { counts, diagnostics: mayOverflow(services.counts, family) ? checkIpset(ipset) : [] } }
}

interface Fixed {
  readonly nat: Block
  readonly filter: FixedBlocks
}

/** Those of the earlier state where they would be made of the same. */
function fixedBlocks(
  { counts }: Parts<ServiceEntries>,
  frame: PlanFrame,
  earlier: Earlier<ServiceEntries> | undefined,
): Fixed {
  const { family } = frame
  const filled = filledSets(counts)
  const [nat, filter] = earlier?.state.iptables?.tables.map(fixedBlocksOf) ?? []
  if (earlier && nat && filter) {
    const isSame =
      sameValue(neededFor(frame), neededFor(earlier.frame)) && sameValue(filled, filledSets(earlier.counts))
    if (isSame) return { nat: nat.head, filter }
  }
  const context = { family, filled: new Set(filled) }
  return {
    nat: kept(natBlock(frame, context), nat?.head),
    filter: {
      head: kept(filterHead(context), filter?.head),
      tail: kept(filterTail(frame.kernel, context), filter?.tail),
    },
  }
}

/** What fixed blocks are made of beside the sets that have members. */
function neededFor({ family, clusterIPMasquerade, node, kernel }: PlanFrame): unknown {
  return { family, clusterIPMasquerade, podTraffic: node.podTraffic, kernel }
}
