// An interpreter of `ipset restore -exist`: from text to sets of entry texts. It models the behavior of ipset and is
// independent of the library, so that neither can repeat an error of the other.

import { listedEntry } from './listed-entry.js'

export interface HeldSet {
  /** The text after `create NAME `. */
  readonly definition: string
  /** The options by entry. An entry has the text of an ipset listing, regardless of its notation in the input. */
  readonly entries: ReadonlyMap<string, string>
}

export type HeldSets = ReadonlyMap<string, HeldSet>

/** Applies the input to the sets. Throws if ipset would fail; `isTableInUse` reports whether rules refer to a set. */
export function restoreSets(sets: HeldSets, input: string, isInUse: (name: string) => boolean = () => false): HeldSets {
  const result = new Map(sets)
  for (const line of linesOf(input)) runLine(result, line, isInUse)
  return result
}

function linesOf(input: string): readonly string[] {
  if (!input.endsWith('\n')) throw new Error('no newline at the end')
  return input.split('\n').slice(0, -1)
}

function runLine(sets: Map<string, HeldSet>, line: string, isInUse: (name: string) => boolean): void {
  const [command = '', name = '', ...rest] = line.split(' ')
  const known = sets.get(name)
  if (!/^\S{1,31}$/.test(name)) throw new Error(`bad name: ${line}`)
  if (command === 'create') {
    if (known !== undefined && sizeless(known.definition) !== sizeless(rest.join(' ')))
      throw new Error(`other: ${line}`)
    if (known === undefined) sets.set(name, { definition: rest.join(' '), entries: new Map() })
  } else if (command === 'destroy') {
    if (isInUse(name)) throw new Error(`in use: ${line}`)
    sets.delete(name)
  } else if (known === undefined) {
    throw new Error(`no set: ${line}`)
  } else if (command === 'swap') {
    const other = sets.get(rest[0] ?? '')
    if (other === undefined || kindOf(other) !== kindOf(known)) throw new Error(`cannot swap: ${line}`)
    sets.set(name, other)
    sets.set(rest[0] ?? '', known)
  } else {
    sets.set(name, { ...known, entries: editedEntries(known, command, rest, line) })
  }
}

function editedEntries(set: HeldSet, command: string, [entry = '', ...options]: readonly string[], line: string) {
  const entries = new Map(set.entries)
  const listed = listedEntry(entry)
  if (command === 'add' && !fits(set, entry, listed)) throw new Error(`does not fit: ${line}`)
  if (command === 'add') entries.set(listed, options.join(' '))
  else if (command === 'del') entries.delete(listed)
  else throw new Error(`cannot read: ${line}`)
  return entries
}

/** Removes the hash size, because `-exist` ignores it. */
function sizeless(definition: string): string {
  return definition.replace(/ hashsize \d+/, '')
}

/** Returns the type and the family, which must be equal for a swap. */
function kindOf({ definition }: HeldSet): string {
  return `${/^\S+/.exec(definition)} ${/family \S+/.exec(definition)}`
}

const ADDRESS = '[0-9a-fA-F.:]+'
const PORT = '(?:tcp|udp|sctp):\\d+'

const FORMS: Readonly<Record<string, RegExp>> = {
  'hash:ip': new RegExp(`^${ADDRESS}$`),
  'hash:ip,port': new RegExp(`^${ADDRESS},${PORT}$`),
  'hash:ip,port,ip': new RegExp(`^${ADDRESS},${PORT},${ADDRESS}$`),
  'hash:ip,port,net': new RegExp(`^${ADDRESS},${PORT},${ADDRESS}(?:/[1-9]\\d*)?$`),
  'bitmap:port': /^\d+$/,
}

function fits({ definition, entries }: HeldSet, entry: string, listed: string): boolean {
  const limit = Number(/maxelem (\d+)/.exec(definition)?.[1] ?? Number.POSITIVE_INFINITY)
  return (
    (FORMS[/^\S+/.exec(definition)?.[0] ?? '']?.test(entry) ?? false) && (entries.has(listed) || entries.size < limit)
  )
}
