import type { IptablesState, Rule, Table } from '@kube-rules/compiler/internal/dataplane/iptables/ast'
import { chainsWithOwnersOf } from '@kube-rules/compiler/internal/dataplane/iptables/chains'
import { printRule } from '@kube-rules/compiler/internal/dataplane/iptables/print/print'
import type { NodeState, StateOf, Subsystem } from '@kube-rules/compiler/internal/dataplane/node-state'
import type { Plan, ServicePlan } from '@kube-rules/compiler/internal/plan/plan'
import { parseRuleEffect as effectOfRule } from '../dataplane/iptables/rule-lines.js'
import type { RuleEffect } from '../dataplane/netfilter/rule-effect.js'
import { parseRuleEffect as effectOfStatements } from '../dataplane/nftables/rule-lines.js'
import type { TracePath } from '../trace/trace-paths.js'
import type { Drift, DriftGroup } from '../verify/report.js'
import type { LastEndpointChanges } from './last-changes.js'
import { formatService } from './packet-diagnosis-context.js'

/** A parser for the effect of one printed line of a subsystem on packets. */
interface RuleEffectParser<State> {
  parse?(line: string, state: State | undefined): RuleEffect
}

/** The parsers by subsystem. Without `parse`, an individual line of the subsystem has no effect on packets. */
const RULE_EFFECT_PARSERS: { readonly [S in Subsystem]: RuleEffectParser<StateOf<S>> } = {
  nftables: { parse: effectOfStatements },
  ipset: {},
  ipvs: {},
  addresses: {},
  iptables: { parse: effectOfRule },
}

/** Facts for diagnoses of a node, for one family. */
export interface NodeDiagnosisContext {
  readonly mode: string
  readonly plan: Plan
  /** The service ports of the plan by their labels (`default/web:http/TCP`). */
  readonly servicePorts: ReadonlyMap<string, ServicePlan>
  /** The actual state of the node, with owners. */
  readonly live: NodeState
  readonly drift: readonly DriftGroup[]
  /** Time of the last endpoint change per Service, if known. */
  readonly changes: LastEndpointChanges
  /** Returns each mode that creates a resource with one of these ids, provided that no other mode creates this resource. */
  readonly exclusiveModesOf: (ids: readonly string[]) => readonly string[]
  /** Paths of packets from pods, the node and outside to a service port, through the actual state. */
  readonly pathsTo: (service: ServicePlan) => readonly PathToAddress[]
}

/** A path of a packet sent `to` an address and port: `10.96.0.1:80/TCP`. */
export interface PathToAddress extends TracePath {
  readonly to: string
  /** Whether the objects specify that the packet reaches endpoints. */
  readonly isAccepted: boolean
}

/** A drift item, with the service port of the drifting rule or set. */
export interface DriftWithOwner extends Drift {
  readonly servicePort: string
}

/** Returns all drift items of one kind, each with the service port that owns it. */
export function listDriftOfKind({ drift }: NodeDiagnosisContext, kind: Drift['kind']): readonly DriftWithOwner[] {
  return drift.flatMap((group) =>
    group.drift.flatMap((each) => (each.kind === kind ? { ...each, servicePort: group.servicePort } : [])),
  )
}

/**
 * Returns the effect on packets of the last of the given lines of a drift item. Undefined if individual lines of the
 * subsystem have no effect.
 */
export function parseDriftEffect({ subsystem, part }: Drift, lines = '', live?: NodeState): RuleEffect | undefined {
  if (part.kind === 'realServer' && lines !== '')
    return { refuses: false, sendsTo: [part.realServer], acceptsNoConnections: part.foundWeight === 0, rule: lines }
  const reader: RuleEffectParser<unknown> = RULE_EFFECT_PARSERS[subsystem]
  return reader.parse?.(lines.split('\n').at(-1) ?? '', live?.[subsystem])
}

/**
 * Returns the table of a drift item: `nat`, or `ipvs`. For nftables, the chain or map is included: `nftables ip
 * kube-proxy no-endpoint-services`.
 */
export function formatDriftTable({ subsystem, part }: Drift): string {
  if (subsystem === 'iptables' && 'table' in part) return part.table ?? ''
  if (subsystem === 'nftables' && part.kind === 'chain') return `nftables ${part.table} ${part.chain}`
  if (subsystem === 'nftables' && part.kind === 'element') return `nftables ${part.table} ${part.set}`
  return subsystem === 'addresses' ? 'address' : subsystem
}

/** Returns the printed name of a drift item: `chain services` in nftables, `nat/KUBE-SERVICES` in iptables. */
export function formatDriftLocation({ subsystem, part, location }: Drift): string {
  return subsystem === 'nftables' && part.kind === 'chain' ? `chain ${part.chain}` : location
}

/** Formats the Services of the plan: `Service default/web and 3 more`; undefined for a plan without Services. */
export function formatServices({
  plan,
}: NodeDiagnosisContext): { readonly text: string; readonly first: string } | undefined {
  const [first, ...others] = new Set(plan.services.map(({ id }) => formatService(id)))
  return first === undefined ? undefined : { first, text: formatFirstAndCount(first, others.length) }
}

/** Formats the number of reachable endpoints: `2 endpoints`. */
export function formatEndpointCount({ reachable: { length } }: ServicePlan): string {
  return length === 1 ? '1 endpoint' : `${length} endpoints`
}

/** Formats a first item and a count: `this and 2 more`. */
export function formatFirstAndCount(first: string, others: number, what = ''): string {
  const words = [`${others} more`, ...(what === '' ? [] : [others === 1 ? what : plural(what)])]
  return others === 0 ? first : `${first} and ${words.join(' ')}`
}

function plural(noun: string): string {
  return noun.endsWith('s') ? `${noun}es` : `${noun}s`
}

export function findTable(state: IptablesState | undefined, name: Table['name']): Table | undefined {
  return state?.tables.find((table) => table.name === name)
}

/** Returns the custom chains of a table. */
export function userDefinedChainsOf(table: Table): readonly string[] {
  return [...chainsWithOwnersOf(table).keys()].filter((chain) => !/^[A-Z]+$/.test(chain))
}

export function formatRule(rule: Rule, { family }: NodeState): string {
  return printRule(rule, 'save', family)
}
