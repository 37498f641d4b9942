import type { IptablesState, Rule, Table } from '@kube-rules/compiler/internal/dataplane/iptables/ast'
import { ownedChainsOf } from '@kube-rules/compiler/internal/dataplane/iptables/chains'
import { printRule } from '@kube-rules/compiler/internal/dataplane/iptables/print/print'
import type { NodeState } from '@kube-rules/compiler/internal/dataplane/node-state'
import type { Plan, ServicePlan } from '@kube-rules/compiler/internal/plan/plan'
import type { LineEffect } from '../dataplane/netfilter/line-effect.js'
import type { Way } from '../trace/trace-ways.js'
import type { Drift, DriftGroup } from '../verify/report.js'
import { EFFECT_READERS, type EffectReader } from './effect-readers.js'
import type { LastChanges } from './last-changes.js'
import { serviceText } from './packet-facts.js'

/** What answers about a node are made of, for one family. */
export interface NodeAnswerFacts {
  readonly mode: string
  readonly plan: Plan
  /** The service ports of the plan by their labels (`default/web:http/TCP`). */
  readonly servicePorts: ReadonlyMap<string, ServicePlan>
  /** What the node holds, with owners. */
  readonly live: NodeState
  readonly drift: readonly DriftGroup[]
  /** When the endpoints of Services changed last, where that is known. */
  readonly changes: LastChanges
  /** The modes that make one of these things, which no other mode makes. */
  readonly modesOfOne: (ids: readonly string[]) => readonly string[]
  /** The ways of packets from pods, the node and outside to a service port, through what the node holds. */
  readonly waysTo: (service: ServicePlan) => readonly WayTo[]
}

/** A way of a packet that was sent `to` an address and port: `10.96.0.1:80/TCP`. */
export interface WayTo extends Way {
  readonly to: string
}

/** A drift of iptables, and whose it is. */
export interface OwnedDrift extends Drift {
  readonly servicePort: string
}

/** All drift of one kind, with its service port. */
export function driftOf({ drift }: NodeAnswerFacts, kind: Drift['kind']): readonly OwnedDrift[] {
  return drift.flatMap((group) =>
    group.drift.flatMap((each) => (each.kind === kind ? { ...each, servicePort: group.servicePort } : [])),
  )
}

/** What the last of the lines does with packets; undefined where no line of the language tells. */
export function effectOf({ language }: Drift, lines = '', live?: NodeState): LineEffect | undefined {
  const reader: EffectReader<unknown> = EFFECT_READERS[language]
  return reader.effectOf?.(lines.split('\n').at(-1) ?? '', live?.[language])
}

/** Where a rule of a place stands: `nat` of `nat/KUBE-SERVICES`, `ipvs`, `nftables ip kube-proxy no-endpoint-services`. */
export function whereText({ place }: Drift): string {
  const [, table, part] = /^(\S+ \S+ \S+) (?:chain|element) (\S+)/.exec(place) ?? []
  return table === undefined ? (place.split(/[ /]/, 1)[0] ?? '') : `${table} ${part}`
}

/** What a place is called where it is printed: `chain services` of `nftables ip kube-proxy chain services`. */
export function nameText({ place }: Drift): string {
  return place.replace(/^\S+ \S+ \S+ (?=chain )/, '')
}

/** `Service default/web and 3 more`: the Services of the plan; undefined where it has none. */
export function servicesText({ plan }: NodeAnswerFacts): { readonly text: string; readonly first: string } | undefined {
  const [first, ...others] = new Set(plan.services.map(({ id }) => serviceText(id)))
  return first === undefined ? undefined : { first, text: andMore(first, others.length) }
}

/** `2 endpoints`, which some packet may reach. */
export function endpointCount({ reachable: { length } }: ServicePlan): string {
  return length === 1 ? '1 endpoint' : `${length} endpoints`
}

/** `this and 2 more`. */
export function andMore(first: string, others: number, what = ''): string {
  const words = [`${others} more`, ...(what === '' ? [] : [others === 1 ? what : plural(what)])]
  return others === 0 ? first : `${first} and ${words.join(' ')}`
}

function plural(noun: string): string {
  return noun.endsWith('s') ? `${noun}es` : `${noun}s`
}

export function tableOf(state: IptablesState | undefined, name: Table['name']): Table | undefined {
  return state?.tables.find((table) => table.name === name)
}

/** The chains of a table that are not built in. */
export function ownChainsOf(table: Table): readonly string[] {
  return [...ownedChainsOf(table).keys()].filter((chain) => !/^[A-Z]+$/.test(chain))
}

export function saveText(rule: Rule, { family }: NodeState): string {
  return printRule(rule, 'save', family)
}
