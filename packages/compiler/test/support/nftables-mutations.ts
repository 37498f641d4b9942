import fc from 'fast-check'
import { oneOf } from '../../../testing/src/arbitraries/weighted.js'
import type { Chain, Element, NamedSet, Rule, Table } from '../../src/dataplane/nftables/ast.js'

// Single changes to kube-proxy's table on a node; the kernel would accept each of them.

const KINDS = [
  'drop rule',
  'duplicate rule',
  'swap rules',
  'edit rule',
  'delete chain',
  'add chain',
  'drop element',
  'add element',
  'change element',
  'drop table',
] as const

export interface TableMutation {
  readonly kind: (typeof KINDS)[number]
  /** The index of the location, modulo the number of possible locations. */
  readonly at: number
}

export const tableMutations: fc.Arbitrary<TableMutation> = fc.record({
  kind: oneOf<TableMutation['kind']>(...KINDS.map((kind) => [kind === 'drop table' ? 1 : 3, kind] as const)),
  at: fc.nat(100_000),
})

/**
 * Applies the mutation to a table; undefined if it removes the table, `unchanged` if the table has nothing to change.
 */
export function mutateTable(table: Table, { kind, at }: TableMutation): Table | undefined | 'unchanged' {
  switch (kind) {
    case 'drop table':
      return undefined
    case 'add chain': {
      const chain: Chain = { name: 'service-AAAAAAAA-old/one/tcp/http', rules: [{ statements: [{ kind: 'drop' }] }] }
      return { ...table, chains: [...table.chains, chain] }
    }
    case 'delete chain':
      return deleteChain(table, at)
    case 'drop element':
    case 'add element':
    case 'change element':
      return changeElements(table, kind, at)
    default:
      return changeRule(table, kind, at)
  }
}

function changeRule(table: Table, kind: TableMutation['kind'], at: number): Table | 'unchanged' {
  const places = table.chains.flatMap(({ rules }, chain) =>
    rules.flatMap((rule, index) => (isChangeable(kind, rule, rules[index + 1]) ? [{ chain, index }] : [])),
  )
  const place = places[at % places.length]
  if (place === undefined) return 'unchanged'
  const chains = table.chains.map((chain, index) =>
    index === place.chain ? { ...chain, rules: changed(chain.rules, kind, place.index) } : chain,
  )
  return { ...table, chains }
}

function isChangeable(kind: TableMutation['kind'], rule: Rule, next: Rule | undefined): boolean {
  return kind !== 'swap rules' || (next !== undefined && JSON.stringify(rule) !== JSON.stringify(next))
}

function changed(rules: readonly Rule[], kind: TableMutation['kind'], index: number): readonly Rule[] {
  const [before, rule, after] = [rules.slice(0, index), rules[index] as Rule, rules.slice(index + 1)]
  switch (kind) {
    case 'drop rule':
      return [...before, ...after]
    case 'duplicate rule':
      return [...before, rule, rule, ...after]
    case 'swap rules':
      return [...before, ...after.slice(0, 1), rule, ...after.slice(1)]
    default: {
      const gre = { kind: 'match', left: [{ kind: 'meta', key: 'l4proto' }], operator: '==' } as const
      const statements = [{ ...gre, right: { kind: 'value', value: 'gre' } } as const, ...rule.statements]
      return [...before, { ...rule, statements }, ...after]
    }
  }
}

/** Deletes a chain and all references to it. */
function deleteChain(table: Table, at: number): Table | 'unchanged' {
  const deletable = table.chains.filter(({ base }) => base === undefined)
  const { name } = deletable[at % deletable.length] ?? {}
  if (name === undefined) return 'unchanged'
  const leadsThere = (value: unknown) => JSON.stringify(value).includes(`"chain":${JSON.stringify(name)}`)
  const chains = table.chains
    .filter((chain) => chain.name !== name)
    .map((chain) => ({ ...chain, rules: chain.rules.filter((rule) => !leadsThere(rule)) }))
  const sets = table.sets.map((set) => ({ ...set, elements: set.elements.filter((each) => !leadsThere(each)) }))
  return { ...table, chains, sets }
}

function changeElements(table: Table, kind: TableMutation['kind'], at: number): Table | 'unchanged' {
  const sets = table.sets.filter((set) => isFillable(set) && (kind === 'add element' || set.elements.length > 0))
  const set = sets[at % sets.length]
  if (set === undefined) return 'unchanged'
  const place = at % Math.max(set.elements.length, 1)
  const elements = set.elements.flatMap((element, index): readonly Element[] => {
    if (index !== place || kind === 'add element') return [element]
    if (kind === 'drop element' || element.verdict === undefined) return []
    return [{ ...element, verdict: { kind: element.verdict.kind === 'drop' ? 'accept' : 'drop' } }]
  })
  const more = kind === 'add element' ? [addedElement(set)] : []
  return {
    ...table,
    sets: table.sets.map((each) => (each === set ? { ...set, elements: [...elements, ...more] } : each)),
  }
}

/** Excludes the sets that the kernel fills with clients. */
function isFillable({ flags = [], key }: NamedSet): boolean {
  return !flags.includes('dynamic') && key.kind === 'type'
}

const PARTS: Readonly<Record<string, string>> = {
  ipv4_addr: '203.0.113.99',
  ipv6_addr: '2001:db8::99',
  inet_proto: 'tcp',
  inet_service: '9999',
}

function addedElement({ key, data }: NamedSet): Element {
  const parts = key.kind === 'type' ? key.types.map((type) => PARTS[type] ?? '') : []
  return { key: parts.join(' . '), ...(data !== undefined && { verdict: { kind: 'drop' } as const }) }
}
