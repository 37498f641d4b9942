import { isEmptyDump, type LenientResult, parseDump, type TextProblem } from '@kube-rules/analyzer'
import type { Dump } from '@kube-rules/compiler'
import { IP_FAMILIES, type IpFamily } from '@kube-rules/types'
import type { TextSource } from '../cluster/text-source.js'
import { InputError } from '../messages/errors.js'
import { formatCount } from '../messages/lines.js'
import { describeConnectionsAlone } from './connections.js'
import { describeTablesAlone } from './kubectl-tables.js'

/** Maximum number of problems printed with their position in the text. */
const SHOWN_PROBLEMS = 5

type Lenient = Extract<LenientResult, { readonly ok: true }>

export interface DumpOptions {
  /** The address family of tables if the dump does not show their family. */
  readonly family?: IpFamily | undefined
  /** Whether an empty dump is valid and means a node without rules. */
  readonly mayBeEmpty?: boolean | undefined
  /** Whether the texts must be pure tool output. */
  readonly strict?: boolean | undefined
  /** Whether rules of iptables-nft may be as nft lists them: enough to trace packets, but not to compare rules. */
  readonly mayBeListedByNft?: boolean | undefined
}

/** The dump, and the assumptions made to parse it. */
export interface ReadDumpResult {
  readonly dump: Dump
  /** Complete lines. */
  readonly notes: readonly string[]
  /** The parsed texts, with names for the user. */
  readonly sources: readonly TextSource[]
  /** Complete lines that list the available parts of a partial dump. */
  readonly coverages: readonly string[]
}

/**
 * Reads dumps, or excerpts of dumps.
 *
 * @throws InputError if a text contains no part of a dump, or if all texts are empty and `mayBeEmpty` is not set.
 */
export function readDump(
  sources: readonly TextSource[],
  { family, mayBeEmpty = false, strict = false, mayBeListedByNft = false }: DumpOptions = {},
): ReadDumpResult {
  const texts = sources.map(({ text }) => text)
  const result = strict ? parseDump(texts, { family }) : parseDump(texts, { family, lenient: true })
  const names = sources.map(({ name }) => name).join(', ')
  if (!result.ok) {
    const connections = describeConnectionsAlone(sources)
    if (connections !== undefined) throw new InputError(connections)
    const tables = describeTablesAlone(texts)
    if (tables !== undefined) throw new InputError(`${names}: ${tables}`)
    const isPart = result.problems.some(({ code }) => code === 'strayLine' || code === 'badRow')
    const problem = isPart ? 'no complete rule; kube-rules collect prints the commands' : 'not a known dump format'
    throw new InputError(`${names}: ${problem}`, [], problemLines(result.problems, sources))
  }
  if (!mayBeListedByNft) assertNotListedByNft(result.value, names)
  if (mayBeEmpty || !isEmptyDump(result.value)) return { dump: result.value, sources, ...notesOf(result, sources) }
  // An empty text often means that the tools ran without permission.
  throw new InputError(
    `${names}: empty: no rules at all, or not root? expected the output of iptables-save, ipset save, ipvsadm -Sn or nft list ruleset`,
  )
}

/**
 * Throws if a dump has rules of iptables-nft only as nft lists them. nft omits parts of these rules, such as comments,
 * so they cannot be compared.
 *
 * @throws InputError
 */
function assertNotListedByNft(dump: Dump, names: string): void {
  const listed = IP_FAMILIES.find((family) => dump[family].coverage?.isListedByNft)
  if (listed === undefined) return
  const tool = listed === 'IPv4' ? 'iptables-save' : 'ip6tables-save'
  throw new InputError(`${names}: nft does not list the rules of iptables completely; expected the output of ${tool}`)
}

function notesOf(parsed: Partial<Lenient>, sources: readonly TextSource[]): Omit<ReadDumpResult, 'dump' | 'sources'> {
  const { problems = [], notes = [] } = parsed
  const left = problems.map(
    ({ text, line, column, message }) => `warning: ${sources[text]?.name}:${line}:${column}: skipped: ${message}`,
  )
  const taken = notes.flatMap(({ code, text, line, message }) =>
    code === 'fragment' ? [] : [`note: ${sources[text]?.name}:${line}: ${message}`],
  )
  return {
    notes: [...someOf(left, 'more skipped line', 'more skipped lines'), ...someOf(taken, 'more note', 'more notes')],
    coverages: notes.flatMap(({ code, message }) => (code === 'fragment' ? [`note: ${message}`] : [])),
  }
}

/** The maximum number of printed notes of one kind. */
const SHOWN_NOTES = 10

function someOf(lines: readonly string[], one: string, many: string): readonly string[] {
  const more = lines.length - SHOWN_NOTES
  return more <= 0 ? lines : [...lines.slice(0, SHOWN_NOTES), `… and ${more} ${more === 1 ? one : many}`]
}

function problemLines(problems: readonly TextProblem[], sources: readonly TextSource[]): readonly string[] {
  const shown = problems.slice(0, SHOWN_PROBLEMS)
  const more = problems.length - shown.length
  return [
    ...shown.flatMap(({ text, line, column, message, excerpt }) => [
      `error: ${sources[text]?.name}:${line}:${column}: ${message}`,
      ...excerpt.split('\n'),
    ]),
    ...(more === 0 ? [] : [`… and ${formatCount(more, 'more error')}`]),
  ]
}
