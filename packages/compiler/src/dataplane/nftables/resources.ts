import { indexResourcesById, type Resource, type Resources } from '../../patch/resource.js'
import type { Chain, Element, NamedObject, NamedSet, Rule, Table, Verdict } from './ast.js'
import { chainOfVerdict, chainsOfRule, countersOfRule, setsOfRule } from './references.js'
import type { NftablesState, SetElement, TableKey } from './state.js'

/** The value of an nftables resource: the table of the resource, and a value of one of several kinds. */
export type NftablesResourceValue = { readonly table: TableKey } & (
  | { readonly kind: 'table'; readonly value: TableDefinition }
  | { readonly kind: 'chain'; readonly value: Chain }
  | { readonly kind: 'set'; readonly value: NamedSet }
  | { readonly kind: 'element'; readonly value: SetElement }
  | { readonly kind: 'object'; readonly value: NamedObject }
)

/**
 * Lists the resources of a state, for `diff`: `nftables ip kube-proxy` for a table, and, with this prefix, `chain NAME`
 * with its rules, `set NAME` without elements, `object NAME`, and `element SET KEY`. A chain is one resource, because
 * kube-proxy writes either all of its rules or none. The comment of an element is not part of its value.
 */
export function resourcesOf(state: NftablesState): Resources {
  return indexResourcesById(eachResource(state))
}

/**
 * Lists the resources of a state one by one. A large state has so many that a list of all of them needs memory, and so
 * would another text of an id in each reference.
 */
export function* eachResource({ tables }: NftablesState): Generator<Resource> {
  const ids = new Map<string, string>()
  const share = (id: string): string => {
    const known = ids.get(id)
    if (known === undefined) ids.set(id, id)
    return known ?? id
  }
  for (const table of tables) {
    for (const resource of resourcesOfTable(table))
      yield { ...resource, id: share(resource.id), refs: resource.refs.map(share) }
  }
}

export function* resourcesOfTable(table: Table): Generator<Resource> {
  const { family, name, chains, sets, objects, handle: _, ...rest } = table
  const of: TableKey = { family, name }
  yield createTableResource({ family, name, ...rest })
  for (const object of objects) yield objectResource(of, object)
  for (const chain of chains) yield createChainResource(of, chain)
  for (const set of sets) {
    yield createSetResource(of, set)
    for (const element of set.elements) yield createElementResource(of, { set: set.name, element })
  }
}

/** A table without its content. */
export type TableDefinition = Omit<Table, 'chains' | 'sets' | 'objects' | 'handle'>

export function createTableResource(head: TableDefinition): Resource {
  const { family, name } = head
  return { id: formatTableId(head), refs: [], value: resourceValue({ family, name }, 'table', head) }
}

function objectResource(table: TableKey, object: NamedObject): Resource {
  const { handle: _, ...value } = object
  return {
    id: formatObjectId(table, object.name),
    refs: [formatTableId(table)],
    value: resourceValue(table, 'object', value),
  }
}

export function createChainResource(table: TableKey, chain: Chain): Resource {
  // The rules of a state have no handles, and are not copied.
  const rules = chain.rules.some(({ handle }) => handle !== undefined) ? chain.rules.map(withoutHandle) : chain.rules
  const value: Chain = { ...definitionOf(chain), rules }
  const refs = chain.rules.flatMap((rule) => refsOfRule(table, rule))
  return {
    id: formatChainId(table, chain.name),
    refs: [formatTableId(table), ...refs].sort(),
    value: resourceValue(table, 'chain', value),
  }
}

export function createSetResource(table: TableKey, set: NamedSet): Resource {
  const { handle: _, ...value } = set
  const empty = { ...value, elements: [] }
  return { id: formatSetId(table, set.name), refs: [formatTableId(table)], value: resourceValue(table, 'set', empty) }
}

export function createElementResource(
  table: TableKey,
  { set, element: { comment, ...element } }: SetElement,
): Resource {
  const value: SetElement = { set, element }
  const refs = [formatSetId(table, set), ...refsOfVerdict(table, element.verdict)].sort()
  const resource = { id: formatElementId(table, value), refs, value: resourceValue(table, 'element', value) }
  return comment === undefined ? resource : { ...resource, comment }
}

/** Returns the value of an nftables resource. An element has its comment. */
export function nftablesResourceValueOf({
  value,
  comment,
}: Pick<Resource, 'value' | 'comment'>): NftablesResourceValue {
  const one = value as NftablesResourceValue
  if (comment === undefined || one.kind !== 'element') return one
  return { ...one, value: { ...one.value, element: { ...one.value.element, comment } } }
}

function resourceValue(
  table: TableKey,
  kind: NftablesResourceValue['kind'],
  value: NftablesResourceValue['value'],
): NftablesResourceValue {
  return { table, kind, value } as NftablesResourceValue
}

function definitionOf({ name, base, comment }: Chain): Omit<Chain, 'rules'> {
  return { name, base, comment }
}

function withoutHandle({ statements, comment }: Rule): Rule {
  return { statements, comment }
}

const PREFIX = 'nftables '

/** Reports whether an id belongs to this subsystem. */
export function isNftablesId(id: string): boolean {
  return id.startsWith(PREFIX)
}

/** Formats a table id: `nftables ip kube-proxy`. */
export function formatTableId({ family, name }: TableKey): string {
  return `${PREFIX}${family} ${name}`
}

/** Formats a chain id: `nftables ip kube-proxy chain services`. */
export function formatChainId(table: TableKey, chain: string): string {
  return `${formatTableId(table)} chain ${chain}`
}

export function formatSetId(table: TableKey, set: string): string {
  return `${formatTableId(table)} set ${set}`
}

export function formatObjectId(table: TableKey, object: string): string {
  return `${formatTableId(table)} object ${object}`
}

/** Formats an element id: `nftables ip kube-proxy element service-ips 10.96.0.1 . tcp . 443`. */
export function formatElementId(table: TableKey, { set, element }: SetElement): string {
  return `${formatTableId(table)} element ${set} ${element.key}`
}

/** Returns the ids of all resources that the rule requires. */
function refsOfRule(table: TableKey, rule: Rule): readonly string[] {
  return [
    ...chainsOfRule(rule).map((chain) => formatChainId(table, chain)),
    ...setsOfRule(rule).map((set) => formatSetId(table, set)),
    ...countersOfRule(rule).map((counter) => formatObjectId(table, counter)),
  ]
}

function refsOfVerdict(table: TableKey, verdict: Verdict | undefined): readonly string[] {
  const chain = chainOfVerdict(verdict)
  return chain === undefined ? [] : [formatChainId(table, chain)]
}

/** Builds the state from these resources, in order. */
export function assembleNftables(resources: Resources): NftablesState {
  const tables = new Map<string, OpenTable>()
  const values = Array.from(resources.values(), nftablesResourceValueOf)
  const openTable = ({ table }: NftablesResourceValue) => tables.get(formatTableId(table)) ?? open(tables, { ...table })
  for (const each of values) if (each.kind === 'table') open(tables, each.value)
  for (const each of values) {
    const to = openTable(each)
    if (each.kind === 'chain') to.chains.push(each.value)
    else if (each.kind === 'set') to.sets.set(each.value.name, { ...each.value, elements: [] })
    else if (each.kind === 'object') to.objects.push(each.value)
  }
  for (const each of values) {
    if (each.kind === 'element') openTable(each).sets.get(each.value.set)?.elements.push(each.value.element)
  }
  return { tables: Array.from(tables.values(), ({ sets, ...table }) => ({ ...table, sets: [...sets.values()] })) }
}

interface OpenTable extends TableDefinition {
  readonly chains: Chain[]
  readonly sets: Map<string, NamedSet & { readonly elements: Element[] }>
  readonly objects: NamedObject[]
}

function open(tables: Map<string, OpenTable>, head: TableDefinition): OpenTable {
  const table: OpenTable = { ...head, chains: [], sets: new Map(), objects: [] }
  tables.set(formatTableId(head), table)
  return table
}
