import type { AddressState } from '../../dataplane/addresses/ast.js'
import { mergeContributions as addressesOf } from '../../dataplane/addresses/claims.js'
import type { IpsetState } from '../../dataplane/ipset/ast.js'
import { checkIpset } from '../../dataplane/ipset/check.js'
import { mergeContributions as setsOf } from '../../dataplane/ipset/claims.js'
import type { Block, IptablesState } from '../../dataplane/iptables/ast.js'
import type { IpvsState } from '../../dataplane/ipvs/ast.js'
import { mergeContributions as serversOf } from '../../dataplane/ipvs/claims.js'
import type { NodeState } from '../../dataplane/node-state.js'
import { reuseIfEqual, sameValue } from '../../patch/resource.js'
import type { PlanHeader } from '../../plan/plan.js'
import type { Assembly, Parts, PreviousAssembly } from '../mode-lowering.js'
import { type FixedBlocks, fixedBlocksOf, tableOfParts } from '../shared/block-list.js'
import { countFixed } from '../shared/count-blocks.js'
import { filterHead, filterTail } from './filter-rules.js'
import { filterJumps, NAT_JUMPS } from './jumps.js'
import { natBlock } from './nat-rules.js'
import { filledSets, mayOverflow } from './part-counts.js'
import type { ServiceEntries } from './service-entries.js'
import { setDefinitions } from './sets.js'

/** The state of mode ipvs, with all of its subsystems. */
export interface IpvsNodeState extends NodeState {
  readonly ipset: IpsetState
  readonly ipvs: IpvsState
  readonly addresses: AddressState
  readonly iptables: IptablesState
}

/**
 * Builds the virtual servers, sets, addresses and rules of one family from the entries of its service ports. Mirrors
 * `syncProxyRules` of the ipvs proxier of kube-proxy v1.30 (service ports in the order of the plan).
 */
export function assemble(
  services: Parts<ServiceEntries>,
  frame: PlanHeader,
  earlier?: PreviousAssembly<ServiceEntries>,
): Assembly<IpvsNodeState> {
  const { family } = frame
  const { features } = frame.kernel
  const jumps = filterJumps(features)
  const { nat, filter } = fixedBlocks(services, frame, earlier)
  const ipset = setsOf(setDefinitions(family, features), services.list)
  const state = {
    family,
    ipset,
    ipvs: serversOf(services.list),
    addresses: addressesOf(services.list),
    iptables: {
      family,
      tables: [
        { name: 'nat' as const, jumps: NAT_JUMPS, blocks: [nat] },
        tableOfParts({ name: 'filter', jumps }, filter, services, (service) => service.filter, earlier),
      ],
    },
  }
  const counts = countFixed([nat, filter.head, filter.tail], [...NAT_JUMPS, ...jumps])
  // Sets have a size limit, which a large cluster may exceed.
  return { state, inspection: { counts, diagnostics: mayOverflow(services.counts, frame) ? checkIpset(ipset) : [] } }
}

interface Fixed {
  readonly nat: Block
  readonly filter: FixedBlocks
}

/** Returns the static blocks; reuses those of the earlier state if their inputs are equal. */
function fixedBlocks(
  { counts }: Parts<ServiceEntries>,
  frame: PlanHeader,
  earlier: PreviousAssembly<ServiceEntries> | undefined,
): Fixed {
  const { family } = frame
  const filled = filledSets(counts)
  const [nat, filter] = earlier?.state.iptables?.tables.map(fixedBlocksOf) ?? []
  if (earlier && nat && filter) {
    const isSame =
      sameValue(neededFor(frame), neededFor(earlier.header)) && sameValue(filled, filledSets(earlier.counts))
    if (isSame) return { nat: nat.head, filter }
  }
  const context = { family, features: frame.kernel.features, filled: new Set(filled) }
  return {
    nat: reuseIfEqual(natBlock(frame, context), nat?.head),
    filter: {
      head: reuseIfEqual(filterHead(context), filter?.head),
      tail: reuseIfEqual(filterTail(frame, context), filter?.tail),
    },
  }
}

/** Returns the inputs of static blocks, apart from the set of non-empty ipsets. */
function neededFor({ family, clusterIPMasquerade, node, kernel }: PlanHeader): unknown {
  return { family, clusterIPMasquerade, localTrafficDetection: node.localTrafficDetection, kernel }
}
