import { type Dump, parse } from '@kube-rules/compiler'
import { IP_FAMILIES, type IpFamily } from '@kube-rules/types'
import type { Context } from '../context.js'
import { type DumpOptions, type LoadedDump, readDump } from './load-dump.js'
import { readFiles, type Source } from './read-sources.js'

/** What one back end of iptables holds, and the node beside it. */
export interface BackEnd extends LoadedDump {
  /** The files of its tables. */
  readonly name: string
}

/**
 * What the dumps say; of a node on which both back ends of iptables were dumped, which have the same tables, that of each: what
 * is no table is of both.
 *
 * @throws InputError where a file cannot be read or is no dump, and where nothing is in any of them but may not be.
 */
export async function loadBackEnds(
  context: Context,
  paths: readonly string[],
  options: DumpOptions = {},
): Promise<readonly [BackEnd, ...BackEnd[]]> {
  const sources = await readFiles(context, paths)
  const name = namesOf(sources)
  const texts = sources.map(({ text }) => text)
  const read = parse(texts, { family: options.family })
  const second = read.ok ? [] : read.problems
  // A back end has each table once: of what is there twice the second is the other one's.
  if (second.length === 0 || second.some(({ code }) => code !== 'duplicateTable')) {
    return [{ name, ...readDump(sources, options) }]
  }
  const lines = texts.map((text) => text.split('\n'))
  const isSecond = lines.map((each, text) => {
    const starts = second.filter((problem) => problem.text === text).map(({ line }) => line - 1)
    return linesOfTables(each, starts)
  })
  const cut = (wanted: boolean): readonly Source[] =>
    sources.map((source, text) => ({
      ...source,
      // Empty lines stand for the others, so that places stay right; headers tell families.
      text: (lines[text] ?? [])
        .map((line, index) => (isSecond[text]?.has(index) === wanted || line.startsWith('#') ? line : ''))
        .join('\n'),
    }))
  const [ours, theirs] = [readDump(cut(false), options), readDump(cut(true), options)]
  const has = (wanted: boolean) => sources.filter((_, text) => hasTables(lines[text] ?? [], isSecond[text], wanted))
  return [
    { name: namesOf(has(false)), ...ours },
    { name: namesOf(has(true), namesOf(has(false))), ...theirs, dump: withTables(ours.dump, theirs.dump) },
  ]
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

/** Of two in one file, the second is told by that. */
function namesOf(sources: readonly Source[], first?: string): string {
  const name = sources.map((source) => source.name).join(', ')
  return name === first ? `the second iptables-save of ${name}` : name
}

function withTables(dump: Dump, tables: Dump): Dump {
  const families = IP_FAMILIES.map((family: IpFamily) => [
    family,
    { ...dump[family], iptables: tables[family].iptables },
  ])
  return Object.fromEntries(families) as unknown as Dump
}
