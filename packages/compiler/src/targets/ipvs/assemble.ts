import type { AddressState } from '../../dataplane/addresses/ast.js'
import { stateOfContributions as addressesOf } from '../../dataplane/addresses/claims.js'
import type { IpsetState } from '../../dataplane/ipset/ast.js'
import { stateOfContributions as setsOf } from '../../dataplane/ipset/claims.js'
import type { Block, IptablesState, Table } from '../../dataplane/iptables/ast.js'
import type { IpvsState } from '../../dataplane/ipvs/ast.js'
import { stateOfContributions as serversOf } from '../../dataplane/ipvs/claims.js'
import type { NodeState } from '../../dataplane/languages.js'
import { kept } from '../../diff/resource.js'
import type { PlanFrame } from '../../plan/plan.js'
import type { Earlier } from '../mode.js'
import { filterHead, filterTail } from './filter-rules.js'
import { FILTER_JUMPS, NAT_JUMPS } from './jumps.js'
import { natBlock } from './nat-rules.js'
import type { ServiceEntries } from './service-entries.js'
import { type SetMask, type SetName, setDefinitions, setsOfMask } from './sets.js'

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
  services: readonly ServiceEntries[],
  frame: PlanFrame,
  earlier?: Earlier<ServiceEntries>,
): IpvsNodeState {
  const { family } = frame
  return {
    family,
    ipset: setsOf(setDefinitions(family), services),
    ipvs: serversOf(services),
    addresses: addressesOf(services),
    iptables: iptablesState(services, frame, earlier?.state.iptables),
  }
}

function iptablesState(
  services: readonly ServiceEntries[],
  frame: PlanFrame,
  previous: IptablesState | undefined,
): IptablesState {
  const { family } = frame
  const context = { family, filled: filledSets(services) }
  const [nat, filter] = previous?.tables ?? []
  return {
    family,
    tables: [
      { name: 'nat', jumps: NAT_JUMPS, blocks: [kept(natBlock(frame, context), firstBlock(nat))] },
      {
        name: 'filter',
        jumps: FILTER_JUMPS,
        blocks: [
          kept(filterHead(context), firstBlock(filter)),
          ...filterBlocks(services),
          kept(filterTail(frame.kernel, context), filter?.blocks.at(-1)),
        ],
      },
    ],
  }
}

function firstBlock(table: Table | undefined): Block | undefined {
  return table?.blocks[0]
}

/** The sets that have members, but for that of bound addresses, on which no rule depends. */
function filledSets(services: readonly ServiceEntries[]): ReadonlySet<SetName> {
  let mask: SetMask = 0
  for (const service of services) mask |= service.filledSets
  return setsOfMask(mask)
}

/** The blocks of service ports that have rules of their own. */
function filterBlocks(services: readonly ServiceEntries[]): readonly Block[] {
  const blocks: Block[] = []
  for (const { filter } of services) if (filter !== undefined) blocks.push(filter)
  return blocks
}
