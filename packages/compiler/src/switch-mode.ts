import type { FamilyResult } from './compile.js'
import type { IptablesState } from './dataplane/iptables/ast.js'
import { TABLE_NAMES } from './dataplane/iptables/built-in-chains.js'
import { chainOfId } from './dataplane/iptables/resources.js'
import { orderChanges } from './diff/order.js'
import { type Change, idOf, type Patch } from './diff/patch.js'
import { valueText } from './diff/resource.js'
import { type StaleConnection, staleConnections } from './plan/stale-connections.js'
import { type StateOf, TARGETS } from './targets/registry.js'

/** One family in mode iptables and in mode ipvs, of which one takes the place of the other. */
export interface BothModes {
  readonly iptables: FamilyResult<StateOf<'iptables'>>
  readonly ipvs: FamilyResult<StateOf<'ipvs'>>
}

/**
 * What takes a family to mode ipvs, to be carried out by it. Both modes have tables, with chains of the same names in
 * them: these change, and virtual servers, sets and addresses come.
 */
export function patchToIpvs({ iptables, ipvs }: BothModes): Patch {
  const gone = TARGETS.iptables.diff(iptables.state, undefined)
  const come = TARGETS.ipvs.diff(undefined, ipvs.state)
  return { from: gone.from, to: come.to, changes: exchange(come, iptables.state, ipvs.state.iptables) }
}

/** What takes a family to mode iptables, to be carried out by mode ipvs: the reverse of `patchToIpvs`. */
export function patchFromIpvs({ iptables, ipvs }: BothModes): Patch {
  const gone = TARGETS.ipvs.diff(ipvs.state, undefined)
  const come = TARGETS.iptables.diff(undefined, iptables.state)
  return { from: gone.from, to: come.to, changes: exchange(gone, ipvs.state.iptables, iptables.state) }
}

/** A node that changes its mode knows nothing of the connections there are, as one that starts. */
export function staleAfterSwitch(before: FamilyResult, after: FamilyResult): readonly StaleConnection[] {
  const stale = [...staleConnections(before.plan, undefined), ...staleConnections(undefined, after.plan)]
  return [...new Map(stale.map((connection) => [valueText(connection), connection])).values()]
}

/** The changes of mode ipvs that are not to tables, and those between the tables of the two modes. */
function exchange({ changes }: Patch, before: IptablesState, after: IptablesState): readonly Change[] {
  return orderChanges([
    ...changes.filter((change) => !isOfTable(change)),
    ...TARGETS.iptables.diff(before, after).changes,
  ])
}

function isOfTable(change: Change): boolean {
  const { table } = chainOfId(idOf(change))
  return TABLE_NAMES.some((name) => name === table)
}
