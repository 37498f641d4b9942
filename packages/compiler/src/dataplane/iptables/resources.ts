import type { IpFamily } from '@kube-rules/types'
import { appendAll } from '../../internal/append-all.js'
import { invariant } from '../../internal/invariant.js'
import { valueAt } from '../../internal/known-items.js'
import { indexResourcesById, type Resource, type Resources } from '../../patch/resource.js'
import { formatIpsetId } from '../netfilter/format-ipset-id.js'
import type { IptablesState, Rule, Table, TableName } from './ast.js'
import { BUILT_IN_CHAINS, isBuiltInChain, TABLE_NAMES } from './built-in-chains.js'
import { chainsOf, jumpTargetsOf } from './chains.js'

/**
 * The resource value of a built-in chain: only the kube-proxy jumps in this chain. The chain itself and its foreign
 * rules are not part of the value.
 */
export interface BuiltInJumps {
  /** The jumps in chain order. */
  readonly jumps: readonly Rule[]
}

/** Reports whether the value of a resource consists of the jumps of kube-proxy in a built-in chain. */
export function isBuiltInJumps(value: unknown): value is BuiltInJumps {
  return typeof value === 'object' && value !== null && 'jumps' in value
}

/** Formats a chain id: `nat/KUBE-SERVICES`. */
export function formatChainId(table: string, chain: string): string {
  return `${table}/${chain}`
}

/** Splits a chain id into the names of the table and the chain. */
export function parseChainId(id: string): { readonly table: string; readonly chain: string } {
  const slash = id.indexOf('/')
  return { table: id.slice(0, slash), chain: id.slice(slash + 1) }
}

/**
 * Lists the resources of a state, for `diff`: each chain with its rules as an ordered list, and the jumps of each
 * built-in chain. The references of a resource are the chains that its rules jump to and the sets that its rules match
 * on. Policies of built-in chains are not included.
 */
export function resourcesOf(state: IptablesState): Resources {
  return indexResourcesById(state.tables.flatMap(listTableResources))
}

/** Returns the rules of a chain resource. */
export function rulesOfResource({ value }: Resource): readonly Rule[] {
  return value as readonly Rule[]
}

/** Returns the jumps in the resource of a built-in chain. */
export function jumpsOfResource({ value }: Resource): readonly Rule[] {
  return (value as BuiltInJumps).jumps
}

/** Builds the state from these resources. Each table has one block. */
export function assembleIptables(resources: Resources, family: IpFamily): IptablesState {
  const tables = new Map<TableName, { readonly jumps: Rule[]; readonly chains: string[]; readonly rules: Rule[] }>()
  for (const resource of resources.values()) {
    const { id } = resource
    const { table: text, chain } = parseChainId(id)
    const name = TABLE_NAMES.find((each) => each === text)
    invariant(name !== undefined, `${JSON.stringify(id)} does not identify a table`)
    const table = tables.get(name) ?? { jumps: [], chains: [], rules: [] }
    tables.set(name, table)
    if (isBuiltInChain(name, chain)) appendAll(table.jumps, jumpsOfResource(resource))
    else {
      table.chains.push(chain)
      appendAll(table.rules, rulesOfResource(resource))
    }
  }
  return {
    family,
    tables: Array.from(tables, ([name, { jumps, ...block }]) => ({ name, jumps, blocks: [{ owner: '', ...block }] })),
  }
}

/** Reports whether an id belongs to this subsystem: `nat/KUBE-SERVICES`. */
export function isChainId(id: string): boolean {
  return TABLE_NAMES.some((name) => id.startsWith(`${name}/`))
}

/**
 * Lists the resources of one table: the owned chains in the order of their blocks, then the shared chains and the
 * jumps.
 */
export function listTableResources(table: Table): readonly Resource[] {
  const chains = chainsOf(table)
  const owned = findOwnedChains(table)
  const others = [...chains.keys()].filter((chain) => !owned.has(chain) && !isBuiltInChain(table.name, chain))
  return [
    ...[...owned, ...others].map((chain) => createChainResource(table.name, chain, valueAt(chains, chain))),
    ...BUILT_IN_CHAINS[table.name].flatMap((chain) => createJumpsResource(table.name, chain, valueAt(chains, chain))),
  ]
}

/** Returns the chains that only one owner, the owner of the chain, adds rules to. */
export function findOwnedChains({ blocks }: Table): ReadonlySet<string> {
  return new Set(blocks.flatMap(({ owner, chains }) => (owner === '' ? [] : chains)))
}

/**
 * Returns the chains that may contain rules of several owners: the chains of blocks without owner, and the chains that
 * only `jumps` refer to.
 */
export function findSharedChains({ blocks, jumps }: Table): ReadonlySet<string> {
  return new Set([...blocks.flatMap(({ owner, chains }) => (owner === '' ? chains : [])), ...jumpTargetsOf(jumps)])
}

export function createChainResource(table: TableName, chain: string, rules: readonly Rule[]): Resource {
  return { id: formatChainId(table, chain), refs: chainReferencesOf(table, rules), value: rules }
}

/** Returns a list with the resource of a built-in chain. The list is empty if the chain contains no jump of kube-proxy. */
export function createJumpsResource(table: TableName, chain: string, jumps: readonly Rule[]): readonly Resource[] {
  if (jumps.length === 0) return []
  const value: BuiltInJumps = { jumps }
  return [{ id: formatChainId(table, chain), refs: chainReferencesOf(table, jumps), value }]
}

/**
 * Returns the sorted ids of the chains that rules jump to and of the sets that rules match on. An id occurs once for
 * each use.
 */
export function chainReferencesOf(table: TableName, rules: readonly Rule[]): readonly string[] {
  const chains = jumpTargetsOf(rules).map((chain) => formatChainId(table, chain))
  return [...chains, ...setsMatched(rules).map(formatIpsetId)].sort()
}

function setsMatched(rules: readonly Rule[]): readonly string[] {
  const names: string[] = []
  for (const { matches } of rules) for (const match of matches) if (match.kind === 'set') names.push(match.name)
  return names
}
