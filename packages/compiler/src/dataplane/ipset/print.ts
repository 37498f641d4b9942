import { invariant } from '../../internal/invariant.js'
import type { Entry, IpSet, IpsetState } from './ast.js'
import { canonicalSet, hasOrder, withoutRandomOptions } from './canonical.js'
import { entryText, parseEntry } from './entries.js'
import { compareAsSorted } from './sorted-order.js'
import { isSetName, printEntryOptions, printLine, printWord } from './words.js'

/**
 * Input for `ipset restore -exist` that makes the sets and adds their entries: all `create` lines, then all `add`
 * lines, sets and entries in the order of the state. Every line ends with a newline; a state without sets is an empty text.
 *
 * Throws when a name, entry or option cannot be said to ipset.
 */
export function printRestore(state: IpsetState): string {
  const additions = state.sets.flatMap((set) => set.entries.map((entry) => addLine(set, entry)))
  return text([...state.sets.map(createLine), ...additions])
}

/**
 * What `ipset -sorted save` prints once the kernel holds the sets, but for what the kernel makes up: `bucketsize` and
 * `initval` are left out, and `hashsize` is that of the state. Each set's `create` line is followed by its entries in
 * their canonical spelling: as ipset sorts them in hash sets, by number in port bitmaps. Sets are in the order of the
 * state.
 *
 * Throws when a name, entry or option cannot be said to ipset.
 */
export function printSave(state: IpsetState): string {
  return text(state.sets.flatMap((set) => [createLine(withoutRandomOptions(set)), ...savedAddLines(set)]))
}

function savedAddLines(set: IpSet): readonly string[] {
  const lines = canonicalSet(set).entries.map((entry) => ({ text: entryText(entry), line: addLine(set, entry) }))
  const sorted = hasOrder(set) ? lines : lines.sort((left, right) => compareAsSorted(left.text, right.text))
  return sorted.map(({ line }) => line)
}

function text(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('')
}

function createLine(set: IpSet): string {
  return printLine(['create', nameWord(set), ...describe(set)])
}

function nameWord(set: IpSet): string {
  invariant(isSetName(set.name), `${JSON.stringify(set.name)} cannot be the name of an ipset`)
  return set.name
}

function describe(set: IpSet): readonly string[] {
  if (set.type === 'unknown') return set.words.map(printWord)
  const options = (set.options ?? []).map(printWord)
  if (set.type === 'bitmap:port') {
    return [set.type, 'range', `${count(set.firstPort)}-${count(set.lastPort)}`, ...options]
  }
  const { type, family, hashsize, maxelem } = set
  return [type, 'family', printWord(family), 'hashsize', count(hashsize), 'maxelem', count(maxelem), ...options]
}

function count(value: number): string {
  invariant(Number.isInteger(value) && value >= 0 && value <= 0xffffffff, `${value} cannot be a size of an ipset`)
  return String(value)
}

function addLine(set: IpSet, entry: Entry): string {
  return printLine(['add', nameWord(set), entryWord(set, entry), ...printEntryOptions(entry.options ?? [])])
}

function entryWord(set: IpSet, entry: Entry): string {
  const word = printWord(entryText(entry))
  const isSayable =
    entry.kind === 'unknown' || (set.type !== 'unknown' && parseEntry(set.type, word).kind === entry.kind)
  invariant(isSayable, `${word} is not an entry of ${set.name}`)
  return word
}
