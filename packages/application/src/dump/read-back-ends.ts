import { parse } from '@kube-rules/analyzer'
import { surveyedFrontends } from '@kube-rules/analyzer/explain'
import type { Backend, Dump } from '@kube-rules/compiler'
import { IP_FAMILIES, type IpFamily } from '@kube-rules/types'
import type { Source } from '../cluster/source.js'
import { type DumpOptions, type ReadDump, readDump } from './read-dump.js'

/** What one back end of iptables holds, and the node beside it. */
export interface BackEnd extends ReadDump {
  /** The files of its tables. */
  readonly name: string
  /** Which of the two it is, as headers say; absent where none does. */
  readonly backend?: Backend | undefined
}

/**
 * What the texts of dumps say; of a node on which both back ends of iptables were dumped, which have the same tables, that of each:
 * what is no table is of both.
 *
 * @throws InputError where a text is no dump, and where nothing is in any of them but may not be.
 */
export function readBackEnds(sources: readonly Source[], options: DumpOptions = {}): readonly [BackEnd, ...BackEnd[]] {
  const name = namesOf(sources)
  const texts = sources.map(({ text }) => text)
  const read = parse(texts, { family: options.family })
  const problems = read.ok ? [] : read.problems
  const second = problems.filter(({ code }) => code === 'duplicateTable')
  const strange = problems.filter(({ code }) => code === 'unknownLine')
  // A back end has each table once: of what is there twice the second is the other one's.
  if (second.length === 0 || second.length + strange.length < problems.length) {
    return [{ name, ...readDump(sources, options) }]
  }
  const lines = texts.map((text) => text.split('\n'))
  const isSecond = lines.map((each, text) => {
    const repeated = second.filter((problem) => problem.text === text).map(({ line }) => line - 1)
    return linesOfTables(each, secondTables(lines, text, repeated))
  })
  const isStrange = lines.map(
    (_, text) => new Set(strange.flatMap((each) => (each.text === text ? [each.line - 1] : []))),
  )
  const cut = (wanted: boolean): readonly Source[] =>
    sources.map((source, text) => ({
      ...source,
      // Empty lines stand for the others, so that places stay right; headers tell families, and strange lines what is left out.
      text: (lines[text] ?? [])
        .map((line, index) =>
          isSecond[text]?.has(index) === wanted || isStrange[text]?.has(index) || line.startsWith('#') ? line : '',
        )
        .join('\n'),
    }))
  // What repeats tables and has no strange line is what the tools print, from beginning to end.
  const whole = { ...options, strict: options.strict === true || strange.length === 0 }
  const [ours, theirs] = [readDump(cut(false), whole), readDump(cut(true), whole)]
  const has = (wanted: boolean) => sources.filter((_, text) => hasTables(lines[text] ?? [], isSecond[text], wanted))
  const [first, other] = [namesOf(has(false)), namesOf(has(true))]
  const isTold = lines.some((each) => each.some(isNftHeader))
  const [prefix, otherPrefix] = isTold
    ? ['iptables-legacy of ', 'iptables-nft of ']
    : ['', 'the second iptables-save of ']
  return [
    { name: first === other ? prefix + first : first, backend: isTold ? 'legacy' : undefined, ...ours },
    {
      name: first === other ? otherPrefix + other : other,
      backend: isTold ? 'nft' : undefined,
      ...theirs,
      dump: withTables(ours.dump, theirs.dump),
    },
  ]
}

/**
 * What the texts of dumps say; of a node on which both back ends of iptables were dumped, that of the one that leads to Services, which
 * a note says where both do. Throws as `readBackEnds` does.
 */
export function readMainBackEnd(sources: readonly Source[], options: DumpOptions = {}): ReadDump {
  const backEnds = readBackEnds(sources, options)
  const leading = backEnds.filter(({ dump }) =>
    IP_FAMILIES.some((family) => surveyedFrontends(dump[family]).length > 0),
  )
  const [{ name, ...main }, ...others] = leading.length > 0 ? (leading as unknown as typeof backEnds) : backEnds
  const note = `warning: ${[name, ...others.map((each) => each.name)].join(' and ')} both hold rules of kube-proxy; packets go through both, and are followed through those of ${name} only: verify compares them`
  return leading.length > 1 ? { ...main, notes: [note, ...main.notes] } : main
}

/**
 * Where the tables of the other back end start in a text, of those that it repeats: where headers name it, behind these; else all
 * of a text that repeats an earlier one.
 */
function secondTables(
  texts: readonly (readonly string[])[],
  text: number,
  repeated: readonly number[],
): readonly number[] {
  const own = tablesOf(texts[text] ?? [])
  if (texts.some((lines) => lines.some(isNftHeader))) return own.filter(({ isNft }) => isNft).map(({ start }) => start)
  const isWhole = repeated.length > 0 && texts.slice(0, text).some((lines) => tablesOf(lines).length > 0)
  return isWhole ? own.map(({ start }) => start) : repeated
}

/** Where each table starts, and whether the header before it is that of iptables-nft. */
function tablesOf(lines: readonly string[]): readonly { readonly start: number; readonly isNft: boolean }[] {
  let isNft = false
  return lines.flatMap((line, start) => {
    if (line.startsWith('# Generated by ')) isNft = isNftHeader(line)
    return /^\s*\*\w/.test(line) ? [{ start, isNft }] : []
  })
}

function isNftHeader(line: string): boolean {
  return /^# Generated by ip6?tables-nft-save /.test(line)
}

/** The lines of the tables that start at these. */
function linesOfTables(lines: readonly string[], starts: readonly number[]): ReadonlySet<number> {
  const found = new Set<number>()
  for (const start of starts) {
    const length = lines.slice(start).findIndex((line) => /^\s*COMMIT\b/.test(line))
    for (let index = start; index <= start + length; index++) found.add(index)
  }
  return found
}

function hasTables(lines: readonly string[], second: ReadonlySet<number> | undefined, wanted: boolean): boolean {
  return lines.some((line, index) => /^\s*\*\w/.test(line) && second?.has(index) === wanted)
}

function namesOf(sources: readonly Source[]): string {
  return sources.map(({ name }) => name).join(', ')
}

function withTables(dump: Dump, tables: Dump): Dump {
  const families = IP_FAMILIES.map((family: IpFamily) => [
    family,
    { ...dump[family], iptables: tables[family].iptables },
  ])
  return Object.fromEntries(families) as unknown as Dump
}
