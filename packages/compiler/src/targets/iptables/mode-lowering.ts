import type { IptablesState, Table } from '../../dataplane/iptables/ast.js'
import type { NodeState } from '../../dataplane/node-state.js'
import { isDeepEqual, reuseIfEqual } from '../../internal/plain-data.js'
import type { PlanHeader, ServicePlan } from '../../plan/plan.js'
import type {
  AssembledState,
  ContributionCounts,
  ModeLowering,
  PreviousAssembly,
  ServiceContributions,
} from '../mode-lowering.js'
import { assembleTable, previousTableOf, type StaticBlocks, staticBlocksOf } from '../shared/block-list.js'
import { addStaticBlocks, countBlocks } from '../shared/count-blocks.js'
import {
  type ContributionsByHash,
  countMergedChains,
  findCollisions,
  mergeCollidingChains,
  updateContributionsByHash,
} from './colliding-chains.js'
import { NAT_JUMPS } from './jumps.js'
import { listFilterTableJumps } from './legacy-jumps.js'
import { limitationsOf } from './limitations.js'
import { createLoweringContext, type LoweringContext } from './lowering-context.js'
import { createMarkDropServiceBlocks } from './mark-drop-service-blocks.js'
import { createServiceBlocks, type ServiceBlocks } from './service-blocks.js'
import {
  createLeadingFilterBlock,
  createLeadingNatBlock,
  createTrailingFilterBlock,
  createTrailingNatBlock,
} from './static-rules.js'
import { createXlbServiceBlocks } from './xlb/service-blocks.js'

/** Converts a plan to the node state in `iptables` mode. */
export const iptablesLowering: ModeLowering<LoweringContext, ServiceBlocks, AssemblyMemory> = {
  limitationsOf,
  validate: () => [],
  lowering: createLoweringContext,
  rewritesUnchangedPorts: (previous, next) => !isDeepEqual({ ...previous, largeCluster: next.largeCluster }, next),
  lowerService: createServiceBlocksOfVersion,
  countParts,
  assemble: assembleIptablesMode,
  hostRequirements: () => undefined,
}

function countParts(parts: readonly ServiceBlocks[]): ContributionCounts {
  const filter = countBlocks(parts.map((part) => part.filter))
  const nat = countBlocks(parts.map((part) => part.nat))
  return { chains: filter.chains + nat.chains, rules: filter.rules + nat.rules }
}

/** Returns the chains and rules of a service port as the selected version of kube-proxy writes them. */
export function createServiceBlocksOfVersion(plan: ServicePlan, lowering: LoweringContext): ServiceBlocks {
  const { dropsInFilter, xlbChains } = lowering.features
  if (dropsInFilter) return createServiceBlocks(plan, lowering)
  return xlbChains ? createXlbServiceBlocks(plan, lowering) : createMarkDropServiceBlocks(plan, lowering)
}

/** The state in iptables mode. */
export interface IptablesNodeState extends NodeState {
  readonly iptables: IptablesState
}

/** The data for the next state: the nat table before colliding chains were merged, and the contributions by hash. */
interface AssemblyMemory {
  readonly nat: Table
  readonly contributions: ContributionsByHash
}

/**
 * Builds the filter and nat tables of one family from the chains and rules of its service ports. Mirrors a full sync in
 * `syncProxyRules` of the iptables proxier of kube-proxy v1.30. The service ports have the order of the plan.
 */
export function assembleIptablesMode(
  services: ServiceContributions<ServiceBlocks>,
  header: PlanHeader,
  earlier?: PreviousAssembly<ServiceBlocks, AssemblyMemory>,
): AssembledState<IptablesNodeState, AssemblyMemory> {
  const { family } = header
  const previous = earlier?.memory
  const jumps = listFilterTableJumps(header.kernel.features)
  const { filter, nat } = staticBlocksByTable(header, earlier)
  const beforeMerge = earlier && { ...earlier, table: previous?.nat }
  const unmerged = assembleTable(
    { name: 'nat', jumps: NAT_JUMPS },
    nat,
    services,
    (service) => service.nat,
    beforeMerge,
  )
  const contributions = updateContributionsByHash(previous?.contributions, services, earlier)
  const isSame = unmerged === previous?.nat && contributions.several === previous.contributions.several
  const merged = isSame ? previousTableOf(earlier, 'nat')?.table : undefined
  const previousFilter = previousTableOf(earlier, 'filter')
  const tables = [
    assembleTable({ name: 'filter', jumps }, filter, services, (service) => service.filter, previousFilter),
    merged ?? mergeCollidingChains(unmerged, contributions),
  ]
  const staticBlocks = [filter.head, filter.tail, nat.head, nat.tail]
  const { chains, rules } = addStaticBlocks(services.counts, staticBlocks, [...jumps, ...NAT_JUMPS])
  const counts = { chains: chains - countMergedChains(contributions), rules }
  const memory = { nat: unmerged, contributions }
  const diagnostics = findCollisions(contributions)
  return { state: { family, iptables: { family, tables } }, counts, diagnostics, memory }
}

interface StaticBlocksByTable {
  readonly filter: StaticBlocks
  readonly nat: StaticBlocks
}

/**
 * Returns the static blocks: the chains and rules that belong to no service port, by table. Reuses the blocks of the
 * earlier state if their inputs did not change.
 */
function staticBlocksByTable(
  header: PlanHeader,
  earlier: PreviousAssembly<ServiceBlocks> | undefined,
): StaticBlocksByTable {
  const [filter, nat] = earlier?.state.iptables?.tables.map(staticBlocksOf) ?? []
  if (earlier && filter && nat && isDeepEqual(neededFor(header), neededFor(earlier.header))) return { filter, nat }
  return {
    filter: {
      head: reuseIfEqual(createLeadingFilterBlock(header), filter?.head),
      tail: reuseIfEqual(createTrailingFilterBlock(header), filter?.tail),
    },
    nat: {
      head: reuseIfEqual(createLeadingNatBlock(header.kernel), nat?.head),
      tail: reuseIfEqual(createTrailingNatBlock(header), nat?.tail),
    },
  }
}

/** Returns the inputs of the static blocks, to detect changes. */
function neededFor({ family, node, nodePorts, localhostNodePorts, kernel }: PlanHeader): unknown {
  return { family, nodePorts, localhostNodePorts, kernel, localTrafficDetection: node.localTrafficDetection }
}
