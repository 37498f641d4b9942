import type { Table } from '../../dataplane/iptables/ast.js'
import type { NodeState } from '../../dataplane/languages.js'
import { sameValue } from '../../diff/resource.js'
import type { ServicePlan } from '../../plan/plan.js'
import type { EarlierInspection, Inspection, Mode, StateCounts } from '../mode.js'
import { inspectBlock, inspectFixedBlocks, sumOfCounts } from '../shared/inspect-block.js'
import { samePackets } from '../shared/same-packets.js'
import { assemble } from './assemble.js'
import { FILTER_CHAINS, NAT_CHAINS } from './fixed-rules.js'
import { LIMITATIONS } from './limitations.js'
import { type Lowering, lowering } from './lowering.js'
import { type ServiceBlocks, serviceBlocks } from './service-blocks.js'

/** Mode `iptables`. Its limitations are nothing to report of a service port: no Service is served otherwise for them. */
export const iptablesMode: Mode<Lowering, ServiceBlocks> = {
  languages: ['iptables'],
  limitations: LIMITATIONS,
  limitationsOf: () => [],
  validate: () => [],
  lowering,
  lowerService: serviceBlocks,
  isSamePart,
  inspectPart,
  assemble,
  inspectState,
  hostSettings: () => undefined,
}

function isSamePart(service: ServicePlan, lowered: Lowering, other: ServicePlan, otherLowered: Lowering): boolean {
  return sameValue(lowered, otherLowered) && samePackets(service, other)
}

function inspectPart({ filter, nat }: ServiceBlocks): StateCounts {
  return sumOfCounts([inspectBlock(filter, 'filter', FILTER_CHAINS), inspectBlock(nat, 'nat', NAT_CHAINS)])
}

function inspectState({ iptables }: NodeState, _: unknown, earlier?: EarlierInspection): Inspection {
  const tables = iptables?.tables ?? []
  if (earlier !== undefined && hasSameFixedBlocks(tables, earlier.state.iptables?.tables ?? [])) return earlier.found
  return { counts: sumOfCounts(tables.map(inspectFixedBlocks)), diagnostics: [] }
}

function hasSameFixedBlocks(tables: readonly Table[], others: readonly Table[]): boolean {
  return tables.every(({ blocks }, index) => {
    const other = others[index]?.blocks
    return blocks[0] === other?.[0] && blocks.at(-1) === other?.at(-1)
  })
}
