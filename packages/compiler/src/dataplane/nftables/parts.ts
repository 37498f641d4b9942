import { isOfList, listBehind } from '../../internal/array-of-list.js'
import { itemsOf } from '../../internal/chunked-list.js'
import { partsOfAsked, type StateParts } from '../netfilter/parts.js'
import type { Rule, Selector, Statement } from './ast.js'
import { isInterval } from './keys/intervals.js'
import { partsOf } from './keys/key-parts.js'
import type { NftablesState, SetElement, TableContribution } from './state.js'

/**
 * What is asked for of a compiled table, each with its chains and sets for itself, at the addresses of its elements in sets of all.
 * Undefined for tables that are not compiled.
 */
export function partsOfContributions(state: NftablesState): StateParts | undefined {
  const { fixed } = state
  const list = isOfList(state) ? listBehind(state, 'contributions') : undefined
  if (fixed === undefined || list === undefined) return undefined
  const contributions = itemsOf(list)
  const rules = [fixed, ...contributions].flatMap(({ chains }) => chains.flatMap((chain) => chain.rules))
  const blind = setsAskedWithoutDestination(rules)
  return partsOfAsked(
    [fixed],
    contributions.map(({ owner, chains, sets, elements }) => ({
      owner,
      value: { chains, sets, elements },
      places: placesOf(elements, blind),
      names: [...chains, ...sets].map(({ name }) => name),
    })),
  )
}

/** Undefined where one of them stands for more than some addresses, or is looked for whatever the destination is. */
function placesOf(elements: TableContribution['elements'], blind: ReadonlySet<string>): readonly string[] | undefined {
  const places = elements.map((each) => (blind.has(each.set) ? [] : addressesOf(each)))
  return places.some(({ length }) => length === 0) ? undefined : places.flat()
}

function addressesOf({ element: { key } }: SetElement): readonly string[] {
  return isInterval(key) ? [] : partsOf(key).filter((part) => /[.:]/.test(part))
}

function setsAskedWithoutDestination(rules: readonly Rule[]): ReadonlySet<string> {
  const found = new Set<string>()
  for (const { statements } of rules) {
    for (const statement of statements) {
      const set = setAskedWithoutDestination(statement)
      if (set !== undefined) found.add(set)
    }
  }
  return found
}

function setAskedWithoutDestination(statement: Statement): string | undefined {
  switch (statement.kind) {
    case 'match':
      return statement.right.kind === 'named' && !statement.left.some(isDestination) ? statement.right.set : undefined
    case 'vmap':
      return statement.map.kind === 'named' && !statement.key.some(isDestination) ? statement.map.set : undefined
    default:
      return undefined
  }
}

function isDestination(selector: Selector): boolean {
  return selector.kind === 'payload' && selector.field === 'daddr'
}
