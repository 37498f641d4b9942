import type { Element } from '../ast.js'
import { isInterval } from '../keys/intervals.js'

/** The elements of a set, to be found by a key. */
export interface SetIndex {
  /** Whether the kernel puts elements into it by itself. */
  readonly isDynamic: boolean
  /** How long an element stays, in milliseconds; undefined where for ever. */
  readonly timeout: number | undefined
  /** Those that stand for one value each, by it. */
  readonly exact: ReadonlyMap<string, Element>
  /** The others: prefixes and ranges. */
  readonly intervals: readonly Element[]
}

interface Indexed {
  readonly flags?: readonly string[] | undefined
  readonly timeout?: number | undefined
  readonly elements: readonly Element[]
}

export function indexSet({ flags = [], timeout, elements }: Indexed): SetIndex {
  const exact = new Map<string, Element>()
  const intervals: Element[] = []
  for (const element of elements) {
    if (isInterval(element.key)) intervals.push(element)
    else exact.set(element.key, element)
  }
  return { isDynamic: flags.includes('dynamic'), timeout, exact, intervals }
}
