import type { Settings } from '../../configuration/settings.js'
import type { IptablesState } from '../../dataplane/iptables/ast.js'
import type { Plan, PlanFrame } from '../../plan/plan.js'
import type { Earlier } from '../target.js'
import { blocksOf } from './block-list.js'
import { filterHead, filterTail, natHead, natTail } from './fixed-rules.js'
import { FILTER_JUMPS, NAT_JUMPS } from './jumps.js'
import { lowering } from './lowering.js'
import { type ServiceBlocks, serviceBlocks } from './service-blocks.js'

/** The filter and nat tables of a plan. */
export function lower(plan: Plan, settings: Settings): IptablesState {
  const context = lowering(plan, settings)
  const services = plan.services.map((service) => serviceBlocks(service, context))
  return assemble(services, plan, settings)
}

/**
 * The filter and nat tables of one family from the blocks of its service ports, in the order in which kube-proxy v1.30
 * writes them (`syncProxyRules` of its iptables proxier, a full sync; service ports in the plan's order).
 */
export function assemble(
  services: readonly ServiceBlocks[],
  frame: PlanFrame,
  settings: Settings,
  earlier?: Earlier<IptablesState, ServiceBlocks>,
): IptablesState {
  const fixed = {
    filter: { head: filterHead(frame), tail: filterTail(settings) },
    nat: { head: natHead(settings), tail: natTail(frame) },
  }
  return {
    family: frame.family,
    tables: [
      { name: 'filter', jumps: FILTER_JUMPS, blocks: blocksOf('filter', fixed.filter, services, earlier) },
      { name: 'nat', jumps: NAT_JUMPS, blocks: blocksOf('nat', fixed.nat, services, earlier) },
    ],
  }
}
