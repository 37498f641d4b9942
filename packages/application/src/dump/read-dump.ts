import { isEmptyDump, type LenientlyParsed, parse, type TextProblem } from '@kube-rules/analyzer'
import type { Dump } from '@kube-rules/compiler'
import type { IpFamily } from '@kube-rules/types'
import type { Source } from '../cluster/source.js'
import { InputError } from '../messages/errors.js'
import { count } from '../messages/lines.js'

/** Problems that are printed with their place in the text. */
const SHOWN_PROBLEMS = 5

type Lenient = Extract<LenientlyParsed, { readonly ok: true }>

export interface DumpOptions {
  /** That of tables that do not tell theirs. */
  readonly family?: IpFamily | undefined
  /** Whether dumps with nothing in them are those of a node that holds nothing. */
  readonly mayBeEmpty?: boolean | undefined
  /** Whether the texts must be what the tools print, and nothing else. */
  readonly strict?: boolean | undefined
}

/** What dumps say, and what was taken for granted to read them. */
export interface ReadDump {
  readonly dump: Dump
  /** Whole lines. */
  readonly notes: readonly string[]
  /** The texts that were read, with the names by which people know them. */
  readonly sources: readonly Source[]
  /** What of the node the dump is, where that is not all of it; whole lines. */
  readonly fragments: readonly string[]
}

/**
 * What the dumps that were read say, or pastes of them.
 *
 * @throws InputError where one has nothing of a dump, and where nothing is in any of them but may not be.
 */
export function readDump(
  sources: readonly Source[],
  { family, mayBeEmpty = false, strict = false }: DumpOptions = {},
): ReadDump {
  const texts = sources.map(({ text }) => text)
  const result = strict ? parse(texts, { family }) : parse(texts, { family, reading: 'lenient' })
  const names = sources.map(({ name }) => name).join(', ')
  if (!result.ok) throw new InputError(`${names}: not what the tools print`, [], problemLines(result.problems, sources))
  if (mayBeEmpty || !isEmptyDump(result.value)) return { dump: result.value, sources, ...notesOf(result, sources) }
  // The tools print nothing on standard output where they may not look.
  throw new InputError(
    `${names}: nothing in it: no rules at all, or not root? expected what iptables-save, ipset save, ipvsadm -Sn or nft list ruleset print`,
  )
}

function notesOf(parsed: Partial<Lenient>, sources: readonly Source[]): Omit<ReadDump, 'dump' | 'sources'> {
  const { problems = [], notes = [] } = parsed
  const left = problems.map(
    ({ text, line, column, message }) => `warning: ${sources[text]?.name}:${line}:${column}: left out: ${message}`,
  )
  const taken = notes.flatMap(({ code, text, line, message }) =>
    code === 'fragment' ? [] : [`note: ${sources[text]?.name}:${line}: ${message}`],
  )
  return {
    notes: [
      ...someOf(left, 'more line that is left out', 'more lines that are left out'),
      ...someOf(taken, 'more note', 'more notes'),
    ],
    fragments: notes.flatMap(({ code, message }) => (code === 'fragment' ? [`note: ${message}`] : [])),
  }
}

/** How many lines of one kind are printed. */
const SHOWN_NOTES = 10

function someOf(lines: readonly string[], one: string, many: string): readonly string[] {
  const more = lines.length - SHOWN_NOTES
  return more <= 0 ? lines : [...lines.slice(0, SHOWN_NOTES), `… and ${more} ${more === 1 ? one : many}`]
}

function problemLines(problems: readonly TextProblem[], sources: readonly Source[]): readonly string[] {
  const shown = problems.slice(0, SHOWN_PROBLEMS)
  const more = problems.length - shown.length
  return [
    ...shown.flatMap(({ text, line, column, message, excerpt }) => [
      `error: ${sources[text]?.name}:${line}:${column}: ${message}`,
      ...excerpt.split('\n'),
    ]),
    ...(more === 0 ? [] : [`… and ${count(more, 'more error')}`]),
  ]
}
