import type { Block, IptablesState } from '../../dataplane/iptables/ast.js'
import type { Settings } from '../../model/model.js'
import type { Plan, PlanFrame } from '../../plan/plan.js'
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
export function assemble(services: readonly ServiceBlocks[], frame: PlanFrame, settings: Settings): IptablesState {
  return {
    family: frame.family,
    tables: [
      {
        name: 'filter',
        jumps: FILTER_JUMPS,
        blocks: [filterHead(frame), ...services.map(({ filter }) => filter).filter(hasRules), filterTail(settings)],
      },
      {
        name: 'nat',
        jumps: NAT_JUMPS,
        blocks: [natHead(settings), ...services.map(({ nat }) => nat).filter(hasChains), natTail(frame)],
      },
    ],
  }
}

function hasRules(block: Block): boolean {
  return block.rules.length > 0
}

/** A service port without a chain of its own has nothing to send packets to. */
function hasChains(block: Block): boolean {
  return block.chains.length > 0
}
