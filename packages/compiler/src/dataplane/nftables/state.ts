import { withLazyArray } from '../../internal/lazy-array.js'
import type { Chain, Element, NamedSet, Table, TableFamily } from './ast.js'

/** The nftables tables of a node for one address family. */
export interface NftablesState {
  /** The tables. */
  readonly tables: readonly Table[]
  /**
   * The content of the table that each owner requires. With contributions, the state has only one table, which consists
   * of the contributions and `staticTable`. Absent if the owners are unknown.
   */
  readonly contributions?: readonly TableContribution[] | undefined
  /** The part of the table that belongs to no owner. */
  readonly staticTable?: Table | undefined
}

/** The unique key of a table. */
export interface TableKey {
  /** The table family. */
  readonly family: TableFamily
  /** The name of the table. */
  readonly name: string
}

/** The content that one owner requires. */
export interface TableContribution {
  /** The owner as an opaque label. */
  readonly owner: string
  /** The table that contains this content. */
  readonly table: TableKey
  /** The chains that belong to the owner alone. */
  readonly chains: readonly Chain[]
  /** The sets that belong to the owner alone, without elements. */
  readonly sets: readonly NamedSet[]
  /**
   * The elements that the owner adds to sets of `staticTable`. If several owners require the same key, the first owner
   * has precedence.
   */
  readonly elements: readonly SetElement[]
}

/** An element, with the name of its set. */
export interface SetElement {
  /** The name of the set. */
  readonly set: string
  /** The element. */
  readonly element: Element
}

/**
 * Builds the state of one table, lazily, from `staticTable` and the contributions. The chains and sets of `staticTable`
 * come first, then the chains and sets of the contributions in order. The elements of each set are in the same order.
 */
export function buildNftablesState(
  staticTable: Table,
  contributions: () => readonly TableContribution[],
): NftablesState {
  return withLazyArray({ staticTable }, 'contributions', contributions, {
    tables: (list) => [tableOf(staticTable, list())],
  })
}

function tableOf(staticTable: Table, contributions: readonly TableContribution[]): Table {
  const chains: Chain[] = [...staticTable.chains]
  const sets: NamedSet[] = []
  const filled = staticTable.sets.map((set) => ({ set, byKey: new Map(set.elements.map((each) => [each.key, each])) }))
  const elements = new Map(filled.map(({ set, byKey }) => [set.name, byKey]))
  for (const contribution of contributions) {
    for (const chain of contribution.chains) chains.push(chain)
    for (const set of contribution.sets) sets.push(set)
    for (const { set, element } of contribution.elements) {
      const existing = elements.get(set)
      if (existing !== undefined && !existing.has(element.key)) existing.set(element.key, element)
    }
  }
  const shared = filled.map(({ set, byKey }) => ({ ...set, elements: Array.from(byKey.values()) }))
  return { ...staticTable, chains, sets: [...shared, ...sets] }
}
