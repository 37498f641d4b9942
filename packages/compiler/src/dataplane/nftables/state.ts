import { withArray } from '../../internal/array-of-list.js'
import { type ChunkedList, itemsOf } from '../../internal/chunked-list.js'
import type { Chain, Element, NamedSet, Table, TableFamily } from './ast.js'

/** The tables that a node holds of one address family. */
export interface NftablesState {
  readonly tables: readonly Table[]
  /** Who asks for what in the only table; it is these put together with `fixed`. Absent where that is not known. */
  readonly contributions?: readonly TableContribution[] | undefined
  /** Beside `contributions`: the table without what anybody asks for. */
  readonly fixed?: Table | undefined
}

/** By which a table is known. */
export interface TableName {
  readonly family: TableFamily
  readonly name: string
}

/** What one owner asks for. */
export interface TableContribution {
  /** An opaque label. */
  readonly owner: string
  readonly table: TableName
  readonly chains: readonly Chain[]
  /** Sets of its own, without elements. */
  readonly sets: readonly NamedSet[]
  /** Elements of sets that are there anyway. Where several ask for one key, the first does. */
  readonly elements: readonly SetElement[]
}

/** An element, and the name of the set it is in. */
export interface SetElement {
  readonly set: string
  readonly element: Element
}

/**
 * The state of one table to which contributions are made, put together when it is first asked for: the chains and sets of
 * `fixed`, then those of the contributions in their order, and so the elements of each set.
 */
export function stateOfContributions(fixed: Table, contributions: () => ChunkedList<TableContribution>): NftablesState {
  return withArray({ fixed }, 'contributions', contributions, {
    tables: (list) => [tableOf(fixed, itemsOf(list()))],
  })
}

function tableOf(fixed: Table, contributions: readonly TableContribution[]): Table {
  const chains: Chain[] = [...fixed.chains]
  const sets: NamedSet[] = []
  const filled = fixed.sets.map((set) => ({ set, byKey: new Map(set.elements.map((each) => [each.key, each])) }))
  const elements = new Map(filled.map(({ set, byKey }) => [set.name, byKey]))
  for (const contribution of contributions) {
    for (const chain of contribution.chains) chains.push(chain)
    for (const set of contribution.sets) sets.push(set)
    for (const { set, element } of contribution.elements) {
      const known = elements.get(set)
      if (known !== undefined && !known.has(element.key)) known.set(element.key, element)
    }
  }
  const shared = filled.map(({ set, byKey }) => ({ ...set, elements: Array.from(byKey.values()) }))
  return { ...fixed, chains, sets: [...shared, ...sets] }
}
