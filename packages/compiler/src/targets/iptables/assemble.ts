import type { IptablesState } from '../../dataplane/iptables/ast.js'
import type { NodeState } from '../../dataplane/node-state.js'
import { reuseIfEqual, sameValue } from '../../patch/resource.js'
import type { PlanHeader } from '../../plan/plan.js'
import type { Assembly, Parts, PreviousAssembly } from '../mode-lowering.js'
import { type FixedBlocks, fixedBlocksOf, tableOfParts } from '../shared/block-list.js'
import { countFixed } from '../shared/count-blocks.js'
import { filterHead, filterTail, natHead, natTail } from './fixed-rules.js'
import { NAT_JUMPS } from './jumps.js'
import { filterJumps } from './older-jumps.js'
import type { ServiceBlocks } from './service-blocks.js'

/** The state of mode iptables. */
export interface IptablesNodeState extends NodeState {
  readonly iptables: IptablesState
}

/**
 * Builds the filter and nat tables of one family from the blocks of its service ports. Mirrors the order of kube-proxy
 * v1.30 (`syncProxyRules` of its iptables proxier, a full sync; service ports in the order of the plan).
 */
export function assemble(
  services: Parts<ServiceBlocks>,
  frame: PlanHeader,
  earlier?: PreviousAssembly<ServiceBlocks>,
): Assembly<IptablesNodeState> {
  const { family } = frame
  const jumps = filterJumps(frame.kernel.features)
  const { filter, nat } = fixedBlocks(frame, earlier)
  const tables = [
    tableOfParts({ name: 'filter', jumps }, filter, services, (service) => service.filter, earlier),
    tableOfParts({ name: 'nat', jumps: NAT_JUMPS }, nat, services, (service) => service.nat, earlier),
  ]
  const fixed = [filter.head, filter.tail, nat.head, nat.tail]
  const counts = countFixed(fixed, [...jumps, ...NAT_JUMPS])
  return { state: { family, iptables: { family, tables } }, inspection: { counts, diagnostics: [] } }
}

interface Fixed {
  readonly filter: FixedBlocks
  readonly nat: FixedBlocks
}

/** Returns the static blocks; reuses those of the earlier state if their inputs are equal. */
function fixedBlocks(frame: PlanHeader, earlier: PreviousAssembly<ServiceBlocks> | undefined): Fixed {
  const [filter, nat] = earlier?.state.iptables?.tables.map(fixedBlocksOf) ?? []
  if (earlier && filter && nat && sameValue(neededFor(frame), neededFor(earlier.header))) return { filter, nat }
  return {
    filter: {
      head: reuseIfEqual(filterHead(frame), filter?.head),
      tail: reuseIfEqual(filterTail(frame), filter?.tail),
    },
    nat: { head: reuseIfEqual(natHead(frame.kernel), nat?.head), tail: reuseIfEqual(natTail(frame), nat?.tail) },
  }
}

/** Returns the inputs of static blocks. */
function neededFor({ family, node, nodePorts, localhostNodePorts, kernel }: PlanHeader): unknown {
  return { family, nodePorts, localhostNodePorts, kernel, localTrafficDetection: node.localTrafficDetection }
}
