import { compareValues } from '../../internal/compare-values.js'
import type { Entry, IpSet, IpsetState } from './ast.js'
import { canonicalizeEntry, formatEntry } from './entries.js'

/** The hashsize of every canonical set. The actual value is ignored, because the kernel increases it as the set grows. */
const CANONICAL_HASHSIZE = 1024

/**
 * Converts a state to normal form for comparison. If two normal forms are deeply equal, the states are equivalent for
 * the kernel.
 *
 * Sets are in code-unit order of their names. Entries are in code-unit order of their printed form. A duplicate entry
 * occurs once, with the options of the last duplicate. Entries have the notation of ipset output. `hashsize`,
 * `bucketsize` and `initval` are ignored. The entries of a list type are ordered, so they keep their order.
 */
export function canonicalize(state: IpsetState): IpsetState {
  const sets = state.sets.map(canonicalizeSet)
  return { sets: sets.sort((left, right) => compareValues(left.name, right.name)) }
}

/** Converts one set to normal form. */
export function canonicalizeSet(set: IpSet): IpSet {
  const entries = isOrderedSet(set) ? set.entries.map(withoutEmptyOptions) : canonicalizeEntries(set.entries)
  const rest = withoutRandomOptions(set)
  if (rest.type === 'unknown') return { ...rest, words: withoutPairs(rest.words, ['hashsize']), entries }
  return rest.type === 'bitmap:port' ? { ...rest, entries } : { ...rest, hashsize: CANONICAL_HASHSIZE, entries }
}

/**
 * Reports whether the order of entries is significant. The order is significant in all set types other than hashes and
 * bitmaps.
 */
export function isOrderedSet(set: IpSet): boolean {
  return set.type === 'unknown' && !/^(?:hash|bitmap):/.test(set.words[0] ?? '')
}

function canonicalizeEntries(entries: readonly Entry[]): readonly Entry[] {
  const byText = new Map<string, Entry>()
  for (const entry of entries) {
    const spelled = withoutEmptyOptions(canonicalizeEntry(entry))
    byText.set(formatEntry(spelled), spelled)
  }
  return [...byText].sort(([left], [right]) => compareValues(left, right)).map(([, entry]) => entry)
}

function withoutEmptyOptions(entry: Entry): Entry {
  const { options = [], ...rest } = entry
  return options.length === 0 ? rest : entry
}

/** Removes `bucketsize` and `initval`, because their values differ each time the set is loaded. */
export function withoutRandomOptions(set: IpSet): IpSet {
  if (set.type === 'unknown') return { ...set, words: withoutPairs(set.words, ['bucketsize', 'initval']) }
  const { options = [], ...rest } = set
  const kept = withoutPairs(options, ['bucketsize', 'initval'])
  return kept.length === 0 ? rest : { ...rest, options: kept }
}

/** Removes the words in `names` and the value after each of these words. */
function withoutPairs(words: readonly string[], names: readonly string[]): readonly string[] {
  return words.filter((word, index) => !names.includes(word) && !names.includes(words[index - 1] ?? ''))
}
