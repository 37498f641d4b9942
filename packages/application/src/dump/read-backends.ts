import { parseDump } from '@kube-rules/analyzer'
import type { Dump, IptablesBackend } from '@kube-rules/compiler'
import { IP_FAMILIES, type IpFamily } from '@kube-rules/types'
import type { TextSource } from '../cluster/text-source.js'
import { InputError } from '../messages/errors.js'
import { type DumpOptions, type ReadDumpResult, readDump } from './read-dump.js'

/** The state of a node with the iptables tables of only one backend. */
export interface BackendDump extends ReadDumpResult {
  /** The names of the files that contain the tables of this backend. */
  readonly name: string
  /** The backend that the headers of the dump name. Absent if the headers name no backend. */
  readonly backend?: IptablesBackend | undefined
}

/**
 * Reads dumps and separates the two iptables backends. If a node has both backends, the dumps contain tables with the
 * same names twice. Each backend then gets its own tables. Everything except the iptables tables belongs to both
 * backends.
 *
 * @throws InputError if a text is not a dump, if one backend has a table twice, or if all texts are empty and
 * `mayBeEmpty` is not set.
 */
export function readBackends(
  sources: readonly TextSource[],
  options: DumpOptions = {},
): readonly [BackendDump, ...BackendDump[]] {
  const name = namesOf(sources)
  const texts = sources.map(({ text }) => text)
  const read = parseDump(texts, { family: options.family })
  const problems = read.ok ? [] : read.problems
  const second = problems.filter(({ code }) => code === 'duplicateTable')
  const strange = problems.filter(({ code }) => code === 'unknownLine')
  // Each backend has at most one table of each name. A repeated table therefore belongs to the second backend.
  if (second.length === 0 || second.length + strange.length < problems.length) {
    return [{ name, ...readDump(sources, options) }]
  }
  const lines = texts.map((text) => text.split('\n'))
  assertDistinctTables(sources, lines)
  const isSecond = lines.map((each, text) => {
    const repeated = second.filter((problem) => problem.text === text).map(({ line }) => line - 1)
    return linesOfTables(each, secondTables(lines, text, repeated))
  })
  const isLookalike = lines.map(
    (_, text) => new Set(strange.flatMap((each) => (each.text === text ? [each.line - 1] : []))),
  )
  const cut = (expected: boolean): readonly TextSource[] =>
    sources.map((source, text) => ({
      ...source,
      // Lines of the other backend become empty lines, so that line numbers do not change. Headers are kept, because
      // they identify families. Unknown lines are kept, so that they are reported as skipped.
      text: (lines[text] ?? [])
        .map((line, index) =>
          isSecond[text]?.has(index) === expected || isLookalike[text]?.has(index) || line.startsWith('#') ? line : '',
        )
        .join('\n'),
    }))
  // If tables repeat and no line is unknown, the text is complete tool output, so it is parsed strictly.
  const whole = { ...options, strict: options.strict === true || strange.length === 0 }
  const [ours, theirs] = [readDump(cut(false), whole), readDump(cut(true), whole)]
  const has = (expected: boolean) => sources.filter((_, text) => hasTables(lines[text] ?? [], isSecond[text], expected))
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
 * Reads dumps and returns the iptables backend that has rules for Services. If both backends have rules for Services,
 * returns the first backend. Adds a note about the rules of the other backend. Throws like `readBackends`.
 */
export function readCurrentBackend(sources: readonly TextSource[], options: DumpOptions = {}): ReadDumpResult {
  const backEnds = readBackends(sources, { ...options, mayBeListedByNft: true })
  const leading = backEnds.filter(hasServiceRules)
  const { name, ...main } = leading[0] ?? backEnds[0]
  const others = backEnds.filter((each) => each.name !== name)
  const notes = others.flatMap((other) => {
    const used = `packets traverse both, but the trace uses only the rules of ${name}`
    if (leading.includes(other))
      return `warning: ${name} and ${other.name} both have rules of kube-proxy; ${used} (verify compares both)`
    return hasRules(other) ? `warning: ${other.name} has rules of other programs; ${used}` : []
  })
  return { ...main, notes: [...notes, ...main.notes] }
}

/**
 * Reports whether the tables of a backend have chains for Services. Sets and virtual servers belong to neither backend,
 * so they do not count.
 */
function hasServiceRules({ dump }: BackendDump): boolean {
  return iptablesTablesOf(dump).some(({ name, blocks }) =>
    blocks.some(({ chains }) => name === 'nat' && chains.some((chain) => SERVICE_CHAIN.test(chain))),
  )
}

/** Matches the chains with the destinations of Services, in every mode. */
const SERVICE_CHAIN = /^KUBE-(?:SERVICES|PORTALS-HOST|PORTALS-CONTAINER)$/

function hasRules({ dump }: BackendDump): boolean {
  return iptablesTablesOf(dump).some(
    ({ jumps, policies = [], blocks }) =>
      jumps.length > 0 || policies.length > 0 || blocks.some(({ rules }) => rules.length > 0),
  )
}

function iptablesTablesOf(dump: Dump) {
  return IP_FAMILIES.flatMap((family) => dump[family].iptables?.tables ?? [])
}

/**
 * Returns the indexes of the first lines of the second backend's tables in a text. If headers name the backend, these
 * are the tables after an iptables-nft header. If there are no headers, and an earlier text contains tables, all tables
 * of a text with repeated tables are returned. Otherwise, only the repeated tables are returned.
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

/**
 * Throws if headers show that two tables with one name are from one backend, because they are from two dumps.
 *
 * @throws InputError
 */
function assertDistinctTables(sources: readonly TextSource[], lines: readonly (readonly string[])[]): void {
  const seen = new Set<string>()
  for (const [text, own] of lines.entries()) {
    for (const { start, header } of tablesOf(own)) {
      const tool = toolOfHeader(header)
      if (tool === undefined) continue
      const table = `${tool} ${own[start]?.trim()}`
      if (seen.has(table)) {
        const place = `${sources[text]?.name}:${start + 1}`
        throw new InputError(`${place}: a second dump of ${tool}; expected one dump of each back end`)
      }
      seen.add(table)
    }
  }
}

/** Returns the first line of each table, the preceding header, and whether this header is from iptables-nft. */
function tablesOf(
  lines: readonly string[],
): readonly { readonly start: number; readonly header: string; readonly isNft: boolean }[] {
  let header = ''
  return lines.flatMap((line, start) => {
    if (line.startsWith('# Generated by ')) header = line
    return /^\s*\*\w/.test(line) ? [{ start, header, isNft: isNftHeader(header) }] : []
  })
}

function isNftHeader(line: string): boolean {
  return toolOfHeader(line)?.endsWith('-nft') === true
}

/**
 * Returns the tool that printed a header, such as `iptables-nft`. Undefined for `iptables-save` of 1.8.0 to 1.8.8, which
 * may not print its backend.
 */
function toolOfHeader(line: string): string | undefined {
  const match = /^# Generated by (ip6?tables)(-nft|-legacy)?-save v(\S+)( \(nf_tables\))?/.exec(line)
  if (match === null) return undefined
  const [, tool, backend, version = '', suffix] = match
  if (backend !== undefined) return `${tool}${backend}`
  if (suffix !== undefined) return `${tool}-nft`
  return /^1\.8\.[0-8]$/.test(version) ? undefined : `${tool}-legacy`
}

/** Returns the lines of the tables that start at the given lines. */
function linesOfTables(lines: readonly string[], starts: readonly number[]): ReadonlySet<number> {
  const lineNumbers = new Set<number>()
  for (const start of starts) {
    const length = lines.slice(start).findIndex((line) => /^\s*COMMIT\b/.test(line))
    for (let index = start; index <= start + length; index++) lineNumbers.add(index)
  }
  return lineNumbers
}

function hasTables(lines: readonly string[], second: ReadonlySet<number> | undefined, expected: boolean): boolean {
  return lines.some((line, index) => /^\s*\*\w/.test(line) && second?.has(index) === expected)
}

function namesOf(sources: readonly TextSource[]): string {
  return sources.map(({ name }) => name).join(', ')
}

function withTables(dump: Dump, tables: Dump): Dump {
  const families = IP_FAMILIES.map((family: IpFamily) => [
    family,
    { ...dump[family], iptables: tables[family].iptables },
  ])
  return Object.fromEntries(families) as unknown as Dump
}
