import type { Block, IptablesState } from '../../dataplane/iptables/ast.js'
import type { Settings } from '../../model/model.js'
import type { Plan } from '../../plan/plan.js'
import { filterHead, filterTail, natHead, natTail } from './fixed-rules.js'
import { FILTER_JUMPS, NAT_JUMPS } from './jumps.js'
import { lowering } from './lowering.js'
import { serviceBlocks } from './service-blocks.js'

/**
 * The filter and nat tables of one family, in the order in which kube-proxy v1.30 writes them
 * (`syncProxyRules` of its iptables proxier, a full sync; service ports in the plan's order).
 */
export function lower(plan: Plan, settings: Settings): IptablesState {
  const context = lowering(plan, settings)
  const services = plan.services.map((service) => serviceBlocks(service, context))
  return {
    family: plan.family,
    tables: [
      {
        name: 'filter',
        jumps: FILTER_JUMPS,
        blocks: [filterHead(plan), ...services.map(({ filter }) => filter).filter(hasRules), filterTail(settings)],
      },
      {
        name: 'nat',
        jumps: NAT_JUMPS,
        blocks: [natHead(settings), ...services.map(({ nat }) => nat).filter(hasChains), natTail(plan)],
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
