import type { Resource, Resources } from '../../patch/resource.js'
import type { Chain, Element, NamedObject, NamedSet, Rule, Table, Verdict } from './ast.js'
import { chainOfVerdict, chainsOfRule, countersOfRule, setsOfRule } from './references.js'
import type { NftablesState, SetElement, TableName } from './state.js'

/** The table of a resource, with its kind and value. */
export type NftablesValue = { readonly table: TableName } & (
  | { readonly kind: 'table'; readonly value: TableHead }
  | { readonly kind: 'chain'; readonly value: Chain }
  | { readonly kind: 'set'; readonly value: NamedSet }
  | { readonly kind: 'element'; readonly value: SetElement }
  | { readonly kind: 'object'; readonly value: NamedObject }
)

/**
 * Lists the resources of a state, for `diff`: `nftables ip kube-proxy`, and within it `chain NAME` with its rules,
 * `set NAME` without elements, `object NAME`, and `element SET KEY`. A chain is one resource, because kube-proxy writes
 * all of its rules or none.
 */
export function resourcesOf({ tables }: NftablesState): Resources {
  return new Map(tables.flatMap(resourcesOfTable).map((resource) => [resource.id, resource]))
}

export function resourcesOfTable(table: Table): readonly Resource[] {
  const { family, name, chains, sets, objects, handle: _, ...rest } = table
  const of: TableName = { family, name }
  return [
    tableResource({ family, name, ...rest }),
    ...objects.map((object) => objectResource(of, object)),
    ...chains.map((chain) => chainResource(of, chain)),
    ...sets.flatMap((set) => [
      setResource(of, set),
      ...set.elements.map((element) => elementResource(of, { set: set.name, element })),
    ]),
  ]
}

/** A table without its content. */
export type TableHead = Omit<Table, 'chains' | 'sets' | 'objects' | 'handle'>

export function tableResource(head: TableHead): Resource {
  return { id: tableId(head), refs: [], value: resourceValue(head, 'table', head) }
}

function objectResource(table: TableName, object: NamedObject): Resource {
  const { handle: _, ...value } = object
  return { id: objectId(table, object.name), refs: [tableId(table)], value: resourceValue(table, 'object', value) }
}

export function chainResource(table: TableName, chain: Chain): Resource {
  const value: Chain = { ...definitionOf(chain), rules: chain.rules.map(withoutHandle) }
  const refs = chain.rules.flatMap((rule) => refsOfRule(table, rule))
  return {
    id: chainId(table, chain.name),
    refs: [tableId(table), ...refs].sort(),
    value: resourceValue(table, 'chain', value),
  }
}

export function setResource(table: TableName, set: NamedSet): Resource {
  const { handle: _, ...value } = set
  const empty = { ...value, elements: [] }
  return { id: setId(table, set.name), refs: [tableId(table)], value: resourceValue(table, 'set', empty) }
}

export function elementResource(table: TableName, value: SetElement): Resource {
  const refs = [setId(table, value.set), ...refsOfVerdict(table, value.element.verdict)].sort()
  return { id: elementId(table, value), refs, value: resourceValue(table, 'element', value) }
}

/** Returns the value of a resource of this subsystem. */
export function nftablesValue({ value }: Pick<Resource, 'value'>): NftablesValue {
  return value as NftablesValue
}

function resourceValue(
  { family, name }: TableName,
  kind: NftablesValue['kind'],
  value: NftablesValue['value'],
): NftablesValue {
  return { table: { family, name }, kind, value } as NftablesValue
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

/** Formats an id: `nftables ip kube-proxy`. */
export function tableId({ family, name }: TableName): string {
  return `${PREFIX}${family} ${name}`
}

/** Formats an id: `nftables ip kube-proxy chain services`. */
export function chainId(table: TableName, chain: string): string {
  return `${tableId(table)} chain ${chain}`
}

export function setId(table: TableName, set: string): string {
  return `${tableId(table)} set ${set}`
}

export function objectId(table: TableName, object: string): string {
  return `${tableId(table)} object ${object}`
}

/** Formats an id: `nftables ip kube-proxy element service-ips 10.96.0.1 . tcp . 443`. */
export function elementId(table: TableName, { set, element }: SetElement): string {
  return `${tableId(table)} element ${set} ${element.key}`
}

/** Returns the ids of all resources that the rule requires. */
function refsOfRule(table: TableName, rule: Rule): readonly string[] {
  return [
    ...chainsOfRule(rule).map((chain) => chainId(table, chain)),
    ...setsOfRule(rule).map((set) => setId(table, set)),
    ...countersOfRule(rule).map((counter) => objectId(table, counter)),
  ]
}

function refsOfVerdict(table: TableName, verdict: Verdict | undefined): readonly string[] {
  const chain = chainOfVerdict(verdict)
  return chain === undefined ? [] : [chainId(table, chain)]
}

/** Builds the state from these resources, in order. */
export function assembleNftables(resources: Resources): NftablesState {
  const tables = new Map<string, OpenTable>()
  const values = Array.from(resources.values(), nftablesValue)
  const openTable = ({ table }: NftablesValue) => tables.get(tableId(table)) ?? open(tables, { ...table })
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

interface OpenTable extends TableHead {
  readonly chains: Chain[]
  readonly sets: Map<string, NamedSet & { readonly elements: Element[] }>
  readonly objects: NamedObject[]
}

function open(tables: Map<string, OpenTable>, head: TableHead): OpenTable {
  const table: OpenTable = { ...head, chains: [], sets: new Map(), objects: [] }
  tables.set(tableId(head), table)
  return table
}
