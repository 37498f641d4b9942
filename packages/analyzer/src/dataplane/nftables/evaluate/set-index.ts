import type { Element } from '@kube-rules/compiler/internal/dataplane/nftables/ast'
import { isIntervalKey } from '@kube-rules/compiler/internal/dataplane/nftables/keys/intervals'
import { splitConcatenation } from '@kube-rules/compiler/internal/dataplane/nftables/keys/key-components'
import { createLazyGetter } from '@kube-rules/compiler/internal/internal/memo'

/** The elements of a set, indexed by key. */
export interface SetIndex {
  /** Whether the kernel adds elements to the set. */
  readonly isDynamic: boolean
  /** The timeout of elements in milliseconds; undefined if they do not expire. */
  readonly timeout: number | undefined
  /** Elements with an individual value as key, by that value. */
  readonly exact: ReadonlyMap<string, Element>
  /** All other elements: prefixes and ranges. */
  readonly intervals: readonly Element[]
  /**
   * Only for keys that are individual values: returns the components at the position `place`, grouped by the remaining
   * components of the key.
   */
  readonly partsBeside: (place: number) => ReadonlyMap<string, readonly string[]>
  /** Only for keys that are individual values: returns the first components. */
  readonly firstParts: () => ReadonlySet<string>
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
    if (isIntervalKey(element.key)) intervals.push(element)
    else exact.set(element.key, element)
  }
  return {
    isDynamic: flags.includes('dynamic'),
    timeout,
    exact,
    intervals,
    partsBeside: partsByOthers(() => exact.keys()),
    firstParts: createLazyGetter(() => new Set(Array.from(exact.keys(), (key) => splitFirstComponent(key)[0]))),
  }
}

/**
 * Returns the first component of a key, and the remaining components if there are any. A trace splits the data of each
 * endpoint, and splitting into all components takes twice as long.
 */
export function splitFirstComponent(key: string): readonly [first: string, rest: string | undefined] {
  const end = key.indexOf(SEPARATOR)
  return end < 0 ? [key, undefined] : [key.slice(0, end), key.slice(end + SEPARATOR.length)]
}

const SEPARATOR = ' . '

function partsByOthers(keys: () => Iterable<string>): SetIndex['partsBeside'] {
  let byPlace: Map<number, ReadonlyMap<string, readonly string[]>> | undefined
  return (place) => {
    byPlace ??= new Map()
    const existing = byPlace.get(place)
    if (existing !== undefined) return existing
    const beside = new Map<string, string[]>()
    for (const key of keys()) {
      const parts = splitConcatenation(key)
      const others = parts.filter((_, index) => index !== place).join(' . ')
      const siblings = beside.get(others)
      if (siblings === undefined) beside.set(others, [parts[place] ?? ''])
      else siblings.push(parts[place] ?? '')
    }
    byPlace.set(place, beside)
    return beside
  }
}
