import type { NodeState } from '../../dataplane/languages.js'
import { type NftablesState, stateOfContributions, type TableContribution } from '../../dataplane/nftables/state.js'
import { kept } from '../../diff/resource.js'
import type { PlanFrame } from '../../plan/plan.js'
import type { Earlier } from '../mode.js'
import { fixedTable } from './fixed-table.js'

/** The language of mode nftables, which its states have. */
export interface NftablesNodeState extends NodeState {
  readonly nftables: NftablesState
}

/** The table of one family. Mirrors `syncProxyRules` of the nftables proxier, service ports in the plan's order. */
export function assemble(
  contributions: readonly TableContribution[],
  frame: PlanFrame,
  earlier?: Earlier<TableContribution>,
): NftablesNodeState {
  const fixed = kept(fixedTable(frame), earlier?.state.nftables?.fixed)
  return { family: frame.family, nftables: stateOfContributions(fixed, contributions) }
}
