import type { AddressState } from '../../dataplane/addresses/ast.js'
import { buildAddressState } from '../../dataplane/addresses/claims.js'
import type { IpsetState, SetDefinition } from '../../dataplane/ipset/ast.js'
import { checkSetSizes } from '../../dataplane/ipset/check-sizes.js'
import { buildIpsetState } from '../../dataplane/ipset/claims.js'
import type { IptablesState, RuleBlock } from '../../dataplane/iptables/ast.js'
import type { IpvsState } from '../../dataplane/ipvs/ast.js'
import { buildIpvsState } from '../../dataplane/ipvs/claims.js'
import type { NodeState } from '../../dataplane/node-state.js'
import { isDeepEqual, reuseIfEqual } from '../../internal/plain-data.js'
import type { KernelSettings } from '../../plan/kernel-settings.js'
import type { PlanHeader } from '../../plan/plan.js'
import type {
  AssembledState,
  ContributionCounts,
  HostRequirements,
  IpvsTimeouts,
  ModeLowering,
  PreviousAssembly,
  ServiceContributions,
  Sysctl,
} from '../mode-lowering.js'
import { assembleTable, previousTableOf, type StaticBlocks, staticBlocksOf } from '../shared/block-list.js'
import { addStaticBlocks, countBlocks } from '../shared/count-blocks.js'
import { createLeadingFilterBlock, createTrailingFilterBlock } from './filter-rules.js'
import { createIpvsContribution, type IpvsContribution } from './ipvs-contribution.js'
import { listFilterTableJumps, NAT_JUMPS } from './jumps.js'
import { limitationsOf } from './limitations.js'
import { createLoweringContext, type LoweringContext, portLoweringContextOf } from './lowering-context.js'
import { createNatBlock } from './nat-rules.js'
import { checkScheduler, schedulerOf } from './scheduler.js'
import { listIpsetDefinitions, MAX_ENTRIES, SET_NAMES, type SetName, setsOfMask } from './sets.js'

/** Converts a plan to the node state in `ipvs` mode. */
export const ipvsLowering: ModeLowering<LoweringContext, IpvsContribution> = {
  limitationsOf,
  validate: checkScheduler,
  lowering: createLoweringContext,
  loweringOf: portLoweringContextOf,
  lowerService: createIpvsContribution,
  countParts: countContributions,
  assemble: assembleIpvsMode,
  hostRequirements: hostRequirementsOf,
}

const SYSCTLS: readonly Sysctl[] = [
  { name: 'net.ipv4.vs.conntrack', value: '1' },
  // With the default value, these kernels delay a connection that reuses a client port by one second.
  { name: 'net.ipv4.vs.conn_reuse_mode', value: '0', kernels: { from: '4.1', before: '5.9' } },
  { name: 'net.ipv4.vs.expire_nodest_conn', value: '1' },
  { name: 'net.ipv4.vs.expire_quiescent_template', value: '1' },
  { name: 'net.ipv4.ip_forward', value: '1' },
]

const STRICT_ARP: readonly Sysctl[] = [
  { name: 'net.ipv4.conf.all.arp_ignore', value: '1' },
  { name: 'net.ipv4.conf.all.arp_announce', value: '2' },
]

/**
 * Returns the sysctls and kernel modules that ipvs mode requires. Mirrors `NewProxier` of the ipvs proxier of
 * kube-proxy v1.30.
 */
export function hostRequirementsOf(kernel: KernelSettings): HostRequirements {
  const timeouts = timeoutsOf(kernel)
  return {
    sysctls: kernel.ipvs.strictArp ? [...SYSCTLS, ...STRICT_ARP] : SYSCTLS,
    kernelModules: ['ip_vs', `ip_vs_${schedulerOf(kernel)}`, 'nf_conntrack', 'dummy'],
    ...(timeouts && { timeouts }),
  }
}

function timeoutsOf({ ipvs }: KernelSettings): IpvsTimeouts | undefined {
  const { tcpTimeoutMs, tcpFinTimeoutMs, udpTimeoutMs } = ipvs
  if (tcpTimeoutMs <= 0 && tcpFinTimeoutMs <= 0 && udpTimeoutMs <= 0) return undefined
  return { tcp: seconds(tcpTimeoutMs), tcpFin: seconds(tcpFinTimeoutMs), udp: seconds(udpTimeoutMs) }
}

function seconds(milliseconds: number): number {
  return Math.trunc(milliseconds / 1000)
}

/** The state in ipvs mode, with all of its subsystems. */
export interface IpvsNodeState extends NodeState {
  readonly ipset: IpsetState
  readonly ipvs: IpvsState
  readonly addresses: AddressState
  readonly iptables: IptablesState
}

/**
 * Builds the virtual servers, sets, addresses and rules of one family from the contributions of its service ports.
 * Mirrors `syncProxyRules` of the ipvs proxier of kube-proxy v1.30. The service ports have the order of the plan.
 */
export function assembleIpvsMode(
  services: ServiceContributions<IpvsContribution>,
  header: PlanHeader,
  earlier?: PreviousAssembly<IpvsContribution>,
): AssembledState<IpvsNodeState> {
  const { family } = header
  const { features } = header.kernel
  const jumps = listFilterTableJumps(features)
  const { nat, filter } = staticBlocksByTable(services, header, earlier)
  const ipset = buildIpsetState(listIpsetDefinitions(family, features), services.list)
  const state = {
    family,
    ipset,
    ipvs: buildIpvsState(services.list),
    addresses: buildAddressState(services.list),
    iptables: {
      family,
      tables: [
        { name: 'nat' as const, jumps: NAT_JUMPS, blocks: [nat] },
        assembleTable(
          { name: 'filter', jumps },
          filter,
          services,
          (service) => service.filter,
          previousTableOf(earlier, 'filter'),
        ),
      ],
    },
  }
  return {
    state,
    counts: addStaticBlocks(services.counts, [nat, filter.head, filter.tail], [...NAT_JUMPS, ...jumps]),
    // Checks set sizes only in large clusters, where a set may need more entries than its size limit permits.
    diagnostics: mayExceedMaxEntries(services.counts, header) ? checkSetSizes(ipset) : [],
  }
}

interface StaticBlocksByTable {
  readonly nat: RuleBlock
  readonly filter: StaticBlocks
}

/**
 * Returns the static blocks: the chains and rules that belong to no service port, by table. Reuses the blocks of the
 * earlier state if their inputs did not change.
 */
function staticBlocksByTable(
  { counts }: ServiceContributions<IpvsContribution>,
  header: PlanHeader,
  earlier: PreviousAssembly<IpvsContribution> | undefined,
): StaticBlocksByTable {
  const { family } = header
  const nonEmptySets = findNonEmptySets(counts)
  const [nat, filter] = earlier?.state.iptables?.tables.map(staticBlocksOf) ?? []
  if (earlier && nat && filter) {
    const isSame =
      isDeepEqual(neededFor(header), neededFor(earlier.header)) &&
      isDeepEqual(nonEmptySets, findNonEmptySets(earlier.counts))
    if (isSame) return { nat: nat.head, filter }
  }
  const context = { family, features: header.kernel.features, nonEmptySets: new Set(nonEmptySets) }
  return {
    nat: reuseIfEqual(createNatBlock(header, context), nat?.head),
    filter: {
      head: reuseIfEqual(createLeadingFilterBlock(context), filter?.head),
      tail: reuseIfEqual(createTrailingFilterBlock(header, context), filter?.tail),
    },
  }
}

/** Returns the inputs that the static blocks depend on, excluding the list of non-empty sets, to detect changes. */
function neededFor({ family, clusterIPMasquerade, node, kernel }: PlanHeader): unknown {
  return { family, clusterIPMasquerade, localTrafficDetection: node.localTrafficDetection, kernel }
}

/**
 * Counts, for each set, the service ports with entries in the set, and these entries. Also counts rules. An entry that
 * several service ports claim counts once for each of these service ports.
 */
function countContributions(parts: readonly IpvsContribution[]): ContributionCounts {
  const filling = new Map<number, number>()
  const entries = new Map<SetDefinition, number>()
  for (const part of parts) {
    filling.set(part.filledSets, (filling.get(part.filledSets) ?? 0) + 1)
    for (const { set } of part.entries) entries.set(set, (entries.get(set) ?? 0) + 1)
  }
  const portsBySet: Record<string, number> = {}
  for (const [mask, count] of filling) {
    for (const name of setsOfMask(mask)) portsBySet[name] = (portsBySet[name] ?? 0) + count
  }
  const entriesBySet = Object.fromEntries(Array.from(entries, ([{ name }, count]) => [name, count]))
  return { ...countBlocks(parts.map(({ filter }) => filter)), portsBySet, entriesBySet }
}

/** Returns the non-empty sets, excluding the set of bound addresses, because no rule matches this set. */
function findNonEmptySets({ portsBySet = {} }: ContributionCounts): readonly SetName[] {
  return SET_NAMES.filter((name) => (portsBySet[name] ?? 0) > 0)
}

/** Reports whether some set may need more entries than its maximum size. */
function mayExceedMaxEntries({ entriesBySet = {} }: ContributionCounts, { family, kernel }: PlanHeader): boolean {
  return listIpsetDefinitions(family, kernel.features).some(({ name }) => (entriesBySet[name] ?? 0) > MAX_ENTRIES)
}
