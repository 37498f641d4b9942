import type {
  Entry,
  HashSet,
  HashSetType,
  IpSet,
  IpsetState,
  PortBitmap,
  SetFamily,
} from '@kube-rules/compiler/internal/dataplane/ipset/ast'
import { parseEntry } from '@kube-rules/compiler/internal/dataplane/ipset/entries'
import {
  fitsLineLimit,
  isPrintableWord,
  isValidSetName,
  splitWords,
  type WordWithColumn,
} from '@kube-rules/compiler/internal/dataplane/ipset/words'
import { elementAt } from '@kube-rules/compiler/internal/internal/known-items'
import type { IpFamily, Result } from '@kube-rules/types'
import {
  type DumpExtent,
  type DumpSection,
  type DumpSectionsResult,
  readDumpSections,
} from '../netfilter/dump-section.js'
import { createTextProblem, MAX_PROBLEMS, type TextProblem } from '../netfilter/text-problem.js'

export const IPSET_PROBLEM_CODES = [
  'badQuote',
  'unknownCommand',
  'missingWord',
  'invalidValue',
  'duplicateSet',
  'unknownSet',
] as const

/** The codes of problems of `parseIpset`. */
export type IpsetProblemCode = (typeof IPSET_PROBLEM_CODES)[number]

export type IpsetProblem = TextProblem<IpsetProblemCode>

/**
 * Parses the output of `ipset save`, or input for `ipset restore` on an empty state. On failure, returns up to 100
 * invalid lines. Blank lines, lines that start with `#`, and `COMMIT` are ignored. Only `create` and `add` (`-N`, `-A`)
 * are supported. Other commands are errors, because their effect is not part of a state.
 *
 * Unsupported set types and options are preserved as words. Entries of sets with an unsupported type are preserved as
 * text.
 */
export function parseIpset(text: string): Result<IpsetState, TextProblem<IpsetProblemCode>> {
  const { sets, problems } = readIpset(text.split('\n'), MAX_PROBLEMS)
  return problems.length > 0 ? { ok: false, problems } : { ok: true, value: { sets } }
}

/** Reads the valid lines, until `most` lines are invalid. */
export function readIpset(
  lines: readonly string[],
  most: number,
): IpsetState & { readonly problems: readonly IpsetProblem[] } {
  const reader: Reader = { sets: new Map(), problems: [] }
  for (const [index, line] of lines.entries()) {
    readLine(reader, line, index + 1)
    if (reader.problems.length >= most) break
  }
  const sets = [...reader.sets.values()].map(({ set, entries }) => ({ ...set, entries }))
  return { sets, problems: reader.problems }
}

interface Reader {
  readonly sets: Map<string, { readonly set: IpSet; readonly entries: Entry[] }>
  readonly problems: IpsetProblem[]
}

/** The words of a line after its command, with a function that reports problems. */
interface Line {
  readonly words: readonly WordWithColumn[]
  readonly fail: (code: IpsetProblemCode, message: string, at?: WordWithColumn) => undefined
}

const FAMILIES: ReadonlyMap<string, SetFamily> = new Map([
  ['inet', 'inet'],
  ['ipv4', 'inet'],
  ['inet6', 'inet6'],
  ['ipv6', 'inet6'],
])

function readLine(reader: Reader, text: string, number: number): undefined {
  const words = splitWords(text)
  const fail: Line['fail'] = (code, message, at) => {
    const column = at?.column ?? 1
    reader.problems.push(createTextProblem({ code, text: 0, line: number, column, message }, text))
  }
  if (words === undefined) return fail('badQuote', 'expected double quotes only at the start and end of a word')
  const [command, ...rest] = words
  if (command === undefined || command.text.startsWith('#') || command.text === 'COMMIT') return
  if (!fitsLineLimit(text)) return fail('invalidValue', 'the line is longer than ipset accepts')
  const strange = words.find((word) => !isPrintableWord(word.text))
  if (strange !== undefined) return fail('invalidValue', 'a word is empty or has a control character', strange)
  const line: Line = { words: rest, fail }
  if (command.text === 'create' || command.text === '-N') return readCreate(reader, line)
  if (command.text === 'add' || command.text === '-A') return readAdd(reader, line)
  fail('unknownCommand', `${command.text} is not create or add`, command)
}

function readCreate(reader: Reader, line: Line): undefined {
  const [name, type, ...options] = line.words
  if (name === undefined || type === undefined) return line.fail('missingWord', 'create needs a name and a type')
  if (!isValidSetName(name.text))
    return line.fail('invalidValue', 'expected a set name of one word and at most 31 bytes', name)
  if (reader.sets.has(name.text)) return line.fail('duplicateSet', `set ${name.text} already exists`, name)
  const set = readSet(name.text, type.text, options, line.fail)
  if (set !== undefined) reader.sets.set(name.text, { set, entries: [] })
}

function readSet(
  name: string,
  type: string,
  options: readonly WordWithColumn[],
  fail: Line['fail'],
): IpSet | undefined {
  switch (type) {
    case 'hash:ip':
    case 'hash:ip,port':
    case 'hash:ip,port,ip':
    case 'hash:ip,port,net':
      return readHashSet(name, type, options, fail)
    case 'bitmap:port':
      return readPortBitmap(name, options, fail)
    default:
      return { type: 'unknown', name, words: [type, ...options.map(({ text }) => text)], entries: [] }
  }
}

function readHashSet(
  name: string,
  type: HashSetType,
  words: readonly WordWithColumn[],
  fail: Line['fail'],
): HashSet | undefined {
  const { values, options } = consumeValues(words, ['family', 'hashsize', 'maxelem'])
  const family = FAMILIES.get(values.get('family')?.text ?? 'inet')
  if (family === undefined) return fail('invalidValue', 'expected the family inet or inet6', values.get('family'))
  const [hashsize, maxelem] = [readSize(values.get('hashsize'), 1024), readSize(values.get('maxelem'), 65536)]
  if (hashsize === undefined) return fail('invalidValue', 'expected a whole number as hashsize', values.get('hashsize'))
  if (maxelem === undefined) return fail('invalidValue', 'expected a whole number as maxelem', values.get('maxelem'))
  return { type, name, family, hashsize, maxelem, ...options, entries: [] }
}

function readPortBitmap(name: string, words: readonly WordWithColumn[], fail: Line['fail']): PortBitmap | undefined {
  const { values, options } = consumeValues(words, ['range'])
  const range = values.get('range')
  if (range === undefined) return fail('missingWord', 'bitmap:port needs a range')
  const match = /^(\d{1,5})-(\d{1,5})$/.exec(range.text)
  const [from, to] = [Number(match?.[1]), Number(match?.[2])]
  if (!(from <= 65535 && to <= 65535))
    return fail('invalidValue', 'expected a range of two port numbers, such as 0-65535', range)
  return {
    type: 'bitmap:port',
    name,
    firstPort: Math.min(from, to),
    lastPort: Math.max(from, to),
    ...options,
    entries: [],
  }
}

interface Options {
  /** The values of the options, by option name. A value is the word after the name. */
  readonly values: ReadonlyMap<string, WordWithColumn>
  /** The remaining words as `options`. The object is empty if no words remain. */
  readonly options: { readonly options?: readonly string[] }
}

/**
 * Separates the values of the named options from the remaining words. If the line ends after a name, the name itself
 * becomes the value, which is never valid.
 */
function consumeValues(words: readonly WordWithColumn[], names: readonly string[]): Options {
  const values = new Map<string, WordWithColumn>()
  const rest: string[] = []
  for (let index = 0; index < words.length; index++) {
    const word = elementAt(words, index)
    if (names.includes(word.text)) values.set(word.text, words[++index] ?? word)
    else rest.push(word.text)
  }
  return { values, options: rest.length === 0 ? {} : { options: rest } }
}

function readSize(word: WordWithColumn | undefined, fallback: number): number | undefined {
  if (word === undefined) return fallback
  return /^\d{1,10}$/.test(word.text) && Number(word.text) <= 0xffffffff ? Number(word.text) : undefined
}

function readAdd(reader: Reader, line: Line): undefined {
  const [name, text, ...options] = line.words
  if (name === undefined || text === undefined) return line.fail('missingWord', 'add needs a name and an entry')
  const target = reader.sets.get(name.text)
  if (target === undefined) return line.fail('unknownSet', `set ${name.text} has not been created`, name)
  const { set, entries } = target
  const entry: Entry = set.type === 'unknown' ? { kind: 'unknown', text: text.text } : parseEntry(set.type, text.text)
  entries.push(options.length === 0 ? entry : { ...entry, options: options.map((option) => option.text) })
}

/** Returns the extent of the dump lines that begin with a line. Undefined if the line does not belong to ipset. */
export function detectIpsetDump(line: string): DumpExtent | undefined {
  return /^\s*(?:create|add)(?:\s|$)/.test(line) ? 'alike' : undefined
}

/** Reads the lines of a dump. For each family, returns the sets that rules of the family may match on. Never throws. */
export function readIpsetLines(lines: readonly DumpSection[]): DumpSectionsResult<IpsetState, IpsetProblemCode> {
  return readDumpSections(lines, parseIpset, ({ sets }, family) => ({ sets: setsOfFamily(sets, family) }))
}

/**
 * Returns the sets of the family and the sets without a family. Rules of both families may match on sets without a
 * family.
 */
export function setsOfFamily(sets: readonly IpSet[], family: IpFamily): readonly IpSet[] {
  const other = family === 'IPv4' ? 'inet6' : 'inet'
  return sets.filter((set) => !('family' in set) || set.family !== other)
}
