import type { Block, IptablesState } from '../../dataplane/iptables/ast.js'
import { sameValue } from '../../diff/resource.js'
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
export function assemble(
  services: readonly ServiceBlocks[],
  frame: PlanFrame,
  settings: Settings,
  previous?: IptablesState,
): IptablesState {
  const [filter, nat] = previous?.tables ?? []
  return {
    family: frame.family,
    tables: [
      {
        name: 'filter',
        jumps: FILTER_JUMPS,
        blocks: blocksBetween(filterHead(frame), services, 'filter', filterTail(settings), filter?.blocks),
      },
      {
        name: 'nat',
        jumps: NAT_JUMPS,
        blocks: blocksBetween(natHead(settings), services, 'nat', natTail(frame), nat?.blocks),
      },
    ],
  }
}

function blocksBetween(
  head: Block,
  services: readonly ServiceBlocks[],
  table: keyof ServiceBlocks,
  tail: Block,
  before: readonly Block[] | undefined,
): readonly Block[] {
  const blocks = [kept(head, before?.[0])]
  for (const service of services) {
    const block = service[table]
    if (block !== undefined) blocks.push(block)
  }
  blocks.push(kept(tail, before?.at(-1)))
  return blocks
}

/** A difference is looked for only between blocks that are not the identical object. */
function kept(block: Block, before: Block | undefined): Block {
  return before !== undefined && sameValue(block, before) ? before : block
}
