import type { Chain, Selector, Statement } from './ast.js'
import { isInterval } from './keys/intervals.js'
import { partsOf } from './keys/key-parts.js'
import type { SetElement } from './state.js'

/** The addresses in the keys of elements; undefined where one has none, or stands for more than single ones. */
export function placesOfElements(elements: readonly SetElement[]): readonly string[] | undefined {
  const places: string[] = []
  for (const element of elements) {
    const own = placesOfElement(element)
    if (own === undefined) return undefined
    places.push(...own)
  }
  return places
}

/** The same of one. */
export function placesOfElement({ element: { key } }: SetElement): readonly string[] | undefined {
  const places = isInterval(key) ? [] : partsOf(key).filter(isAddress)
  return places.length === 0 ? undefined : places
}

/** Of parts of keys only addresses have dots or colons. */
export function isAddress(part: string): boolean {
  return part.includes('.') || part.includes(':')
}

/** The sets that rules look into without a look at the destination address. */
export function setsAskedWithoutDestination(
  all: readonly { readonly chains: readonly Chain[] }[],
): ReadonlySet<string> {
  const found = new Set<string>()
  for (const { chains } of all) {
    for (const { rules } of chains) {
      for (const { statements } of rules) {
        for (const statement of statements) {
          const set = setAskedWithoutDestination(statement)
          if (set !== undefined) found.add(set)
        }
      }
    }
  }
  return found
}

/** Whether none of the sets with elements is among those. */
export function areAskedByDestination(filled: ReadonlySet<string>, blind: ReadonlySet<string>): boolean {
  return ![...blind].some((set) => filled.has(set))
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

export function isDestination(selector: Selector): boolean {
  return selector.kind === 'payload' && selector.field === 'daddr'
}
