import { buildNftablesState, type NftablesState, type TableContribution } from '../../dataplane/nftables/state.js'
import type { NodeState } from '../../dataplane/node-state.js'
import { reuseIfEqual } from '../../patch/resource.js'
import type { PlanHeader } from '../../plan/plan.js'
import type { Assembly, PreviousAssembly, ServiceContributions } from '../mode-lowering.js'
import { createAlphaStaticTable } from './alpha-table.js'
import { checkInterfaces } from './check-interfaces.js'
import { countContributions } from './count-contributions.js'
import { createStaticTable } from './static-table.js'

/** The state of mode nftables. */
export interface NftablesNodeState extends NodeState {
  readonly nftables: NftablesState
}

/**
 * Builds the table of one family. Mirrors `syncProxyRules` of the nftables proxier, with service ports in the order of
 * the plan.
 */
export function assembleNftablesMode(
  contributions: ServiceContributions<TableContribution>,
  frame: PlanHeader,
  earlier?: PreviousAssembly<TableContribution>,
): Assembly<NftablesNodeState> {
  const isAlpha = frame.kernel.features.alphaTable
  const fixed = reuseIfEqual(
    isAlpha ? createAlphaStaticTable(frame) : createStaticTable(frame),
    earlier?.state.nftables?.staticTable,
  )
  const state = { family: frame.family, nftables: buildNftablesState(fixed, contributions.list) }
  return { state, inspection: { counts: countContributions([fixed]), diagnostics: checkInterfaces(frame) } }
}
