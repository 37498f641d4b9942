import type { Diagnostic, ObjectReference } from '@kube-rules/types'
import type { IptablesState, Rule, RuleBlock, Table } from '../../dataplane/iptables/ast.js'
import type { NodeState } from '../../dataplane/node-state.js'
import { compactList } from '../../internal/compact-list.js'
import { backingListOf, withLazyArray } from '../../internal/lazy-array.js'
import { copyUnlessSame } from '../../internal/list-changes.js'
import { isDeepEqual } from '../../internal/plain-data.js'
import { formatServicePort } from '../../model/services/format-service-port.js'
import type { PlanHeader } from '../../plan/plan.js'
import { findPortConflicts, type PortConflict } from '../../plan/port-conflicts.js'
import type {
  AssembledState,
  ModeLowering,
  PreviousAssembly,
  ResumableAssembly,
  ServiceContributions,
  StateCounts,
} from '../mode-lowering.js'
import { addStaticBlocks, countBlocks } from '../shared/count-blocks.js'
import { FILTER_CHAINS, NAT_CHAINS } from './chain-names.js'
import { FILTER_JUMPS, NAT_JUMPS } from './jumps.js'
import { limitationsOf } from './limitations.js'
import { createLoweringContext, type LoweringContext } from './lowering-context.js'
import { createNatRules, createNonLocalRule } from './portal-rules.js'
import { assignProxyPorts, type ProxyPortAssignment, type ProxyPorts } from './proxy-ports.js'
import { createUserspaceContribution, type UserspaceContribution } from './userspace-contribution.js'

/**
 * Converts a plan to the node state in `userspace` mode, which kube-proxy supports up to 1.25. A local process, the
 * userspace proxy, accepts the connections, and rules redirect packets to it.
 */
export const userspaceLowering: ModeLowering<LoweringContext, UserspaceContribution, ProxyPortMemory> = {
  limitationsOf,
  validate: () => [],
  lowering: createLoweringContext,
  lowerService: createUserspaceContribution,
  // Which rules a service port has depends on the ports that the proxy opens for other service ports.
  countParts: () => NO_COUNTS,
  assemble: assembleUserspaceMode,
  hostRequirements: () => undefined,
}

/** The state in userspace mode. */
export interface UserspaceNodeState extends NodeState {
  readonly iptables: IptablesState
}

/** The ports that the userspace proxy has opened for a state, with the data that is needed to choose its next ports. */
interface ProxyPortMemory {
  readonly ports: ProxyPorts
  /** The opened ports, by the name of the service port without its protocol. */
  readonly opened: ReadonlyMap<string, OpenedPort>
}

const NO_COUNTS: StateCounts = { chains: 0, rules: 0 }
const NO_PORTS: ProxyPortMemory = { ports: new Map(), opened: new Map() }
const NOTHING_CHOSEN: ProxyPortAssignment = { ports: new Map(), diagnostics: [] }

/**
 * Builds the filter and nat tables of the family that the userspace proxy serves, service port by service port. The
 * rules of a service port have the order of its frontends. The tables of the other family have no chains and no rules.
 *
 * Unchanged ports and rules are reused from `earlier`, or from the state before a full recompilation (`resumed`).
 * Mirrors the combined effect of the start and of `syncProxyRules` of the userspace proxier of kube-proxy v1.20.
 */
export function assembleUserspaceMode(
  { list }: ServiceContributions<UserspaceContribution>,
  header: PlanHeader,
  earlier?: PreviousAssembly<UserspaceContribution, ProxyPortMemory>,
  resumed?: ResumableAssembly<ProxyPortMemory>,
): AssembledState<UserspaceNodeState, ProxyPortMemory> {
  const { family } = header
  const before = earlier ?? resumed
  const previous = before?.memory ?? NO_PORTS
  const parts = list()
  const settings = header.kernel.process
  const { ports, diagnostics } = settings?.isServed ? assignProxyPorts(parts, settings, previous.ports) : NOTHING_CHOSEN
  const stops = findPortConflicts(parts, header)
  const opened = openPorts(parts, ports, stops, previous)
  const staticTables = settings?.isServed ? STATIC_TABLES : EMPTY_TABLES
  const tables = [
    tableOf(staticTables.filter, opened, before?.state.iptables),
    tableOf(staticTables.nat, opened, before?.state.iptables),
  ]
  const state = { family, iptables: { family, tables } }
  // The first update of a snapshot contains no service ports; they follow in the next update. Until then, the ports of
  // the earlier snapshot are kept in `memory`.
  const isBeginning = earlier === undefined && parts.length === 0
  const byName = new Map(opened.map((each) => [each.part.id.text, each]))
  const memory: ProxyPortMemory = isBeginning ? previous : { ports, opened: byName }
  return {
    state,
    memory,
    counts: countTables(opened, staticTables),
    diagnostics: compactList([...diagnostics, ...stops.map(portClaimed)]),
  }
}

/**
 * Returns the service ports that have a port in the userspace proxy, each with its rules. Reuses service ports of the
 * previous state that did not change.
 */
function openPorts(
  parts: readonly UserspaceContribution[],
  ports: ProxyPorts,
  stops: readonly PortConflict[],
  known: ProxyPortMemory,
): readonly OpenedPort[] {
  const places = new Map(stops.map(({ id, place }) => [id, place]))
  return parts.flatMap((part) => {
    const port = part.frontends.length === 0 ? undefined : ports.get(part.id.text)?.port
    if (port === undefined) return []
    const frontends = places.get(part.id) ?? part.frontends.length
    const before = known.opened.get(part.id.text)
    const isSame = before?.port === port && before.frontends === frontends && hasSameRules(before.part, part)
    return isSame ? before : createOpenedPort(part, port, frontends)
  })
}

function hasSameRules(one: UserspaceContribution, other: UserspaceContribution): boolean {
  if (one === other) return true
  return (
    one.id.protocol === other.id.protocol &&
    isDeepEqual(one.lowering, other.lowering) &&
    isDeepEqual(one.frontends, other.frontends)
  )
}

/** The static part of a table. */
interface StaticTable extends Pick<Table, 'name' | 'jumps'> {
  readonly head: readonly RuleBlock[]
  readonly blockOf: (opened: OpenedPort) => RuleBlock | undefined
}

interface StaticTables {
  readonly filter: StaticTable
  readonly nat: StaticTable
}

const STATIC_TABLES: StaticTables = {
  filter: { name: 'filter', jumps: FILTER_JUMPS, head: [headOf(FILTER_CHAINS)], blockOf: ({ filter }) => filter },
  nat: { name: 'nat', jumps: NAT_JUMPS, head: [headOf(NAT_CHAINS)], blockOf: ({ nat }) => nat },
}

const NO_JUMPS: readonly Rule[] = []

const EMPTY_TABLES: StaticTables = {
  filter: { ...STATIC_TABLES.filter, jumps: NO_JUMPS, head: [] },
  nat: { ...STATIC_TABLES.nat, jumps: NO_JUMPS, head: [] },
}

function headOf(chains: readonly string[]): RuleBlock {
  return { owner: '', chains, rules: [] }
}

/** Builds a table; returns the previous object if nothing in it changed. */
function tableOf(
  { name, jumps, head, blockOf }: StaticTable,
  opened: readonly OpenedPort[],
  before: IptablesState | undefined,
): Table {
  const table = before?.tables.find((each) => each.name === name)
  const blocks = [...head, ...opened.flatMap((each) => blockOf(each) ?? [])]
  const previousList = table && backingListOf(table, 'blocks')
  const list = previousList === undefined ? blocks : copyUnlessSame(previousList, blocks)
  if (table?.jumps === jumps && list === previousList) return table
  return withLazyArray({ name, jumps }, 'blocks', () => list)
}

function countTables(opened: readonly OpenedPort[], { filter, nat }: StaticTables): StateCounts {
  const counts = countBlocks(opened.flatMap((each) => [each.nat, each.filter]))
  return addStaticBlocks(counts, [...filter.head, ...nat.head], [...filter.jumps, ...nat.jumps])
}

function portClaimed({ id, expected, holder }: PortConflict): Diagnostic {
  const { namespace, name, text } = id
  const object: ObjectReference = { kind: 'Service', namespace, name }
  const message = `${text} claims ${expected}, which ${holder.text} already has: it gets no rules, and neither do the later addresses and ports of ${text}`
  return { severity: 'warning', code: 'portClaimed', object, message }
}

/** A service port, with its port in the userspace proxy and the number of its opened frontends. */
interface OpenedPort {
  readonly part: UserspaceContribution
  readonly port: number
  readonly frontends: number
  readonly nat: RuleBlock
  /** The block of the filter table; absent if the service port has no node port. */
  readonly filter?: RuleBlock | undefined
}

function createOpenedPort(part: UserspaceContribution, port: number, frontends: number): OpenedPort {
  const opened = part.frontends.slice(0, frontends)
  const owner = formatServicePort(part.id)
  const nat = { owner, chains: [], rules: opened.flatMap((frontend) => createNatRules(part, frontend, port)) }
  const known = { part, port, frontends, nat }
  if (opened.at(-1)?.kind !== 'nodePort') return known
  return { ...known, filter: { owner, chains: [], rules: [createNonLocalRule(part, port)] } }
}
