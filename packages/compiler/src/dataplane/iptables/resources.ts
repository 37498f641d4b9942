import type { IpFamily } from '@kube-rules/types'
import { append } from '../../internal/append.js'
import { invariant } from '../../internal/invariant.js'
import type { Resource, Resources } from '../../patch/resource.js'
import { setId } from '../netfilter/set-id.js'
import type { IptablesState, Rule, Table, TableName } from './ast.js'
import { BUILT_IN_CHAINS, isBuiltInChain, TABLE_NAMES } from './built-in-chains.js'
import { chainsOf, jumpDestinations } from './chains.js'

/** The value of a built-in chain's resource: what is ours in it. The chain itself, and other rules in it, are not. */
export interface BuiltInJumps {
  /** In the order in which they stand there. */
  readonly jumps: readonly Rule[]
}

/** Whether the value of a resource is what is ours in a built-in chain. */
export function isJumpsValue(value: unknown): value is BuiltInJumps {
  return typeof value === 'object' && value !== null && 'jumps' in value
}

/** `nat/KUBE-SERVICES`. */
export function chainId(table: string, chain: string): string {
  return `${table}/${chain}`
}

/** The table and the chain of an id. */
export function chainOfId(id: string): { readonly table: string; readonly chain: string } {
  const slash = id.indexOf('/')
  return { table: id.slice(0, slash), chain: id.slice(slash + 1) }
}

/**
 * What a state consists of, for `diff`: each chain with its rules as an ordered list, and for each built-in chain the
 * jumps in it. The references are the chains that rules lead to and the sets that they match. Policies of built-in chains
 * are not part of it.
 */
export function resourcesOf(state: IptablesState): Resources {
  return new Map(state.tables.flatMap(tableResources).map((resource) => [resource.id, resource]))
}

/** The state that consists of these resources, each table with one block. */
export function assembleIptables(resources: Resources, family: IpFamily): IptablesState {
  const tables = new Map<TableName, { readonly jumps: Rule[]; readonly chains: string[]; readonly rules: Rule[] }>()
  for (const { id, value } of resources.values()) {
    const { table: text, chain } = chainOfId(id)
    const name = TABLE_NAMES.find((each) => each === text)
    invariant(name !== undefined, `${JSON.stringify(id)} names no table`)
    const table = tables.get(name) ?? { jumps: [], chains: [], rules: [] }
    tables.set(name, table)
    if (isBuiltInChain(name, chain)) append(table.jumps, (value as BuiltInJumps).jumps)
    else {
      table.chains.push(chain)
      append(table.rules, value as readonly Rule[])
    }
  }
  return {
    family,
    tables: Array.from(tables, ([name, { jumps, ...block }]) => ({ name, jumps, blocks: [{ owner: '', ...block }] })),
  }
}

/** Whether an id is one of this language: `nat/KUBE-SERVICES`. */
export function isChainId(id: string): boolean {
  return TABLE_NAMES.some((name) => id.startsWith(`${name}/`))
}

/** The resources of one table: first the chains of owners in the order of their blocks, then the others. */
export function tableResources(table: Table): readonly Resource[] {
  const chains = chainsOf(table)
  const owned = ownedChains(table)
  const others = [...chains.keys()].filter((chain) => !owned.has(chain) && !isBuiltInChain(table.name, chain))
  return [
    ...[...owned, ...others].map((chain) => chainResource(table.name, chain, chains.get(chain) as readonly Rule[])),
    ...BUILT_IN_CHAINS[table.name].flatMap((chain) =>
      jumpsResource(table.name, chain, chains.get(chain) as readonly Rule[]),
    ),
  ]
}

/** The chains that only their owner writes to. */
export function ownedChains({ blocks }: Table): ReadonlySet<string> {
  return new Set(blocks.flatMap(({ owner, chains }) => (owner === '' ? [] : chains)))
}

/** The chains that any block may write to: those of blocks without owner, and those that only `jumps` lead to. */
export function sharedChains({ blocks, jumps }: Table): ReadonlySet<string> {
  return new Set([...blocks.flatMap(({ owner, chains }) => (owner === '' ? chains : [])), ...jumpDestinations(jumps)])
}

export function chainResource(table: TableName, chain: string, rules: readonly Rule[]): Resource {
  return { id: chainId(table, chain), refs: refsOf(table, rules), value: rules }
}

/** The resource of a built-in chain; none where nothing in it is ours. */
export function jumpsResource(table: TableName, chain: string, jumps: readonly Rule[]): readonly Resource[] {
  if (jumps.length === 0) return []
  const value: BuiltInJumps = { jumps }
  return [{ id: chainId(table, chain), refs: refsOf(table, jumps), value }]
}

/** The ids of the chains that rules lead to and of the sets that they match, sorted, one for each use. */
export function refsOf(table: TableName, rules: readonly Rule[]): readonly string[] {
  const chains = jumpDestinations(rules).map((chain) => chainId(table, chain))
  return [...chains, ...setsMatched(rules).map(setId)].sort()
}

function setsMatched(rules: readonly Rule[]): readonly string[] {
  const names: string[] = []
  for (const { matches } of rules) for (const match of matches) if (match.kind === 'set') names.push(match.name)
  return names
}
