import { invariant } from '../../internal/invariant.js'
import { joinLines } from '../../internal/join-lines.js'
import type { Entry, IpSet, IpsetState, SetDefinition } from './ast.js'
import { canonicalizeSet, isOrderedSet, withoutRandomOptions } from './canonical.js'
import { formatEntry, isParseableEntry } from './entries.js'
import { compareEntriesInSaveOrder } from './sorted-order.js'
import { checkLineLength, isValidSetName, printEntryOptions, printWord } from './words.js'

/**
 * Prints input for `ipset restore -exist` that creates the sets and adds their entries. All `create` lines come first,
 * then all `add` lines. Sets and entries are in the order of the state. Every line ends with a newline. For a state
 * without sets, the output is empty.
 *
 * Throws if a name, entry or option cannot be passed to ipset.
 */
export function printRestore(state: IpsetState): string {
  const filled = state.sets.filter((set) => set.entries.length > 0)
  return joinLines([...state.sets.map(formatCreateLine), ...filled.map(addLines)])
}

/**
 * Prints the sets like `ipset -sorted save`, with two exceptions for values that the kernel chooses: `bucketsize` and
 * `initval` are left out, and `hashsize` has the value in the state. The `create` line of each set is followed by the
 * entries of the set in canonical notation. Entries of hash sets are in the order of ipset, ports of bitmaps are in
 * numeric order. Sets are in the order of the state.
 *
 * Throws if a name, entry or option cannot be passed to ipset.
 */
export function printSave(state: IpsetState): string {
  return joinLines(state.sets.flatMap((set) => [formatCreateLine(withoutRandomOptions(set)), ...savedAddLines(set)]))
}

function savedAddLines(set: IpSet): readonly string[] {
  const lines = canonicalizeSet(set).entries.map((entry) => ({
    text: formatEntry(entry),
    line: formatAddLine(set, entry),
  }))
  const sorted = isOrderedSet(set)
    ? lines
    : lines.sort((left, right) => compareEntriesInSaveOrder(left.text, right.text))
  return sorted.map(({ line }) => line)
}

/** Returns the `add` lines of a set, without the newline of the last line. */
function addLines(set: IpSet): string {
  const start = addition(set)
  return set.entries.map((entry) => checkLineLength(start + entryWords(set, entry))).join('\n')
}

/** Formats `create KUBE-CLUSTER-IP hash:ip,port family inet …`, without a newline. */
export function formatCreateLine(set: SetDefinition): string {
  return checkLineLength(['create', nameWord(set), ...describe(set)].join(' '))
}

function nameWord({ name }: SetDefinition): string {
  if (!isValidSetName(name)) invariant(false, `${JSON.stringify(name)} cannot be the name of an ipset`)
  return name
}

function describe(set: SetDefinition): readonly string[] {
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

/** Formats `add KUBE-CLUSTER-IP 10.96.0.1,tcp:80`, without a newline. */
export function formatAddLine(set: SetDefinition, entry: Entry): string {
  return checkLineLength(addition(set) + entryWords(set, entry))
}

function addition(set: SetDefinition): string {
  return `add ${nameWord(set)} `
}

/** Formats `del KUBE-CLUSTER-IP 10.96.0.1,tcp:80`, without a newline. */
export function formatDeleteLine(set: SetDefinition, entry: Entry): string {
  return checkLineLength(`del ${nameWord(set)} ${entryWord(set, entry)}`)
}

/** Formats `destroy KUBE-CLUSTER-IP`, without a newline. */
export function formatDestroyLine(set: SetDefinition): string {
  return checkLineLength(`destroy ${nameWord(set)}`)
}

/** Formats `swap KUBE-CLUSTER-IP OTHER`, without a newline. */
export function formatSwapLine(set: SetDefinition, other: SetDefinition): string {
  return checkLineLength(`swap ${nameWord(set)} ${nameWord(other)}`)
}

function entryWords(set: SetDefinition, entry: Entry): string {
  const word = entryWord(set, entry)
  return entry.options === undefined ? word : [word, ...printEntryOptions(entry.options)].join(' ')
}

/** Formats an entry as one word. An entry that can be parsed needs no quotes. */
function entryWord(set: SetDefinition, entry: Entry): string {
  const text = formatEntry(entry)
  if (entry.kind === 'unknown') return printWord(text)
  const isSayable = set.type !== 'unknown' && isParseableEntry(set.type, entry)
  if (!isSayable) invariant(false, `${text} is not an entry of ${set.name}`)
  return text
}
