import type { IptablesState } from '../../dataplane/iptables/ast.js'
import type { NodeState } from '../../dataplane/languages.js'
import type { PlanFrame } from '../../plan/plan.js'
import type { Earlier } from '../mode.js'
import { blocksOf } from './block-list.js'
import { filterHead, filterTail, natHead, natTail } from './fixed-rules.js'
import { FILTER_JUMPS, NAT_JUMPS } from './jumps.js'
import type { ServiceBlocks } from './service-blocks.js'

/** The language of mode iptables. */
export interface IptablesNodeState extends NodeState {
  readonly iptables: IptablesState
}

/**
 * The filter and nat tables of one family from the blocks of its service ports, in the order in which kube-proxy v1.30
 * writes them (`syncProxyRules` of its iptables proxier, a full sync; service ports in the plan's order).
 */
export function assemble(
  services: readonly ServiceBlocks[],
  frame: PlanFrame,
  earlier?: Earlier<ServiceBlocks>,
): IptablesNodeState {
  const fixed = {
    filter: { head: filterHead(frame), tail: filterTail(frame.kernel) },
    nat: { head: natHead(frame.kernel), tail: natTail(frame) },
  }
  const { family } = frame
  return {
    family,
    iptables: {
      family,
      tables: [
        { name: 'filter', jumps: FILTER_JUMPS, blocks: blocksOf('filter', fixed.filter, services, earlier) },
        { name: 'nat', jumps: NAT_JUMPS, blocks: blocksOf('nat', fixed.nat, services, earlier) },
      ],
    },
  }
}
