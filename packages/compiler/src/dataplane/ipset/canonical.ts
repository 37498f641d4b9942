import type { Entry, IpSet, IpsetState } from './ast.js'
import { canonicalEntry, entryText } from './entries.js'
import { compareText } from './sorted-order.js'

/** What every canonical set has, since the kernel grows it with the content. */
const CANONICAL_HASHSIZE = 1024

/**
 * The normal form by which states are compared: deeply equal normal forms are the same sets to the kernel.
 *
 * Sets stand in code-unit order of their names, entries in code-unit order of their texts. An entry added twice is
 * there once, with the later options. Entries are spelled as ipset prints them. `hashsize`, `bucketsize` and `initval`
 * do not count. The entries of a list, which has an order, keep it.
 */
export function canonical(state: IpsetState): IpsetState {
  const sets = state.sets.map(canonicalSet)
  return { sets: sets.sort((left, right) => compareText(left.name, right.name)) }
}

/** The normal form of one set. */
export function canonicalSet(set: IpSet): IpSet {
  const entries = hasOrder(set) ? set.entries.map(withoutEmptyOptions) : canonicalEntries(set.entries)
  const rest = withoutRandomOptions(set)
  if (rest.type === 'unknown') return { ...rest, words: withoutPairs(rest.words, ['hashsize']), entries }
  return rest.type === 'bitmap:port' ? { ...rest, entries } : { ...rest, hashsize: CANONICAL_HASHSIZE, entries }
}

/** Whether the order of the set's entries means something, as it does in every type but hashes and bitmaps. */
export function hasOrder(set: IpSet): boolean {
  return set.type === 'unknown' && !/^(?:hash|bitmap):/.test(set.words[0] ?? '')
}

function canonicalEntries(entries: readonly Entry[]): readonly Entry[] {
  const byText = new Map<string, Entry>()
  for (const entry of entries) {
    const spelled = withoutEmptyOptions(canonicalEntry(entry))
    byText.set(entryText(spelled), spelled)
  }
  return [...byText].sort(([left], [right]) => compareText(left, right)).map(([, entry]) => entry)
}

function withoutEmptyOptions(entry: Entry): Entry {
  const { options = [], ...rest } = entry
  return options.length === 0 ? rest : entry
}

/** The set without `bucketsize` and `initval`, which differ from one loading to the next. */
export function withoutRandomOptions(set: IpSet): IpSet {
  if (set.type === 'unknown') return { ...set, words: withoutPairs(set.words, ['bucketsize', 'initval']) }
  const { options = [], ...rest } = set
  const kept = withoutPairs(options, ['bucketsize', 'initval'])
  return kept.length === 0 ? rest : { ...rest, options: kept }
}

/** The words without these names and the value that follows each. */
function withoutPairs(words: readonly string[], names: readonly string[]): readonly string[] {
  return words.filter((word, index) => !names.includes(word) && !names.includes(words[index - 1] ?? ''))
}
