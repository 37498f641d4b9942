import type { Table } from '@kube-rules/compiler/internal/dataplane/nftables/ast'
import { formatTableId } from '@kube-rules/compiler/internal/dataplane/nftables/resources'
import type { NftablesState } from '@kube-rules/compiler/internal/dataplane/nftables/state'
import { IP_FAMILIES, type IpFamily, type Result } from '@kube-rules/types'
import type { DumpExtent, DumpSection, DumpSectionsResult } from '../netfilter/dump-section.js'
import { createTextProblem, type TextProblem } from '../netfilter/text-problem.js'
import { parseNftables } from './parse/parse.js'
import { parseNftablesJson } from './parse/parse-json.js'
import type { NftablesProblem, NftablesProblemCode } from './parse/problem.js'

const COMMAND =
  /^\s*(?:add|create|insert|replace|flush|delete|destroy)\s+(?:table|chain|rule|set|map|element|counter)\s+(?:ip|ip6|inet|arp|bridge|netdev)\s/

/** Recognizes a listed table, a table command, or JSON. JSON output is one line. */
export function detectNftablesDump(line: string): DumpExtent | undefined {
  if (/^\s*table\s/.test(line)) return /\}\s*$/.test(line) ? 'line' : (next) => next.startsWith('}')
  return COMMAND.test(line) || isJson(line) ? 'line' : undefined
}

function isJson(text: string): boolean {
  return /^\s*\{\s*"nftables"/.test(text)
}

/** Reads the tables of both families. */
export function readNftablesLines(
  lines: readonly DumpSection[],
): DumpSectionsResult<NftablesState, NftablesProblemCode> {
  let tables: readonly Table[] = []
  const problems: NftablesProblem[] = []
  for (const { source, text, line } of joinedCommands(lines)) {
    const parsed = isJson(source) ? readJson(source, tables) : parseNftables(source, tables)
    if (parsed.ok) tables = parsed.value
    else for (const problem of parsed.problems) problems.push(placed(problem, source, text, line))
  }
  return { states: nftablesStatesOf(tables), problems }
}

/** Returns the states of the families that have tables. A table of `inet`, `bridge` or `netdev` applies to both. */
export function nftablesStatesOf(tables: readonly Table[]): Readonly<Partial<Record<IpFamily, NftablesState>>> {
  const states = IP_FAMILIES.map(
    (family) => [family, { tables: tables.filter((table) => appliesTo(table, family)) }] as const,
  )
  return Object.fromEntries(states.filter(([, state]) => state.tables.length > 0))
}

function appliesTo({ family }: Table, packets: IpFamily): boolean {
  if (family === 'ip') return packets === 'IPv4'
  return family !== 'ip6' || packets === 'IPv6'
}

function readJson(
  source: string,
  tables: readonly Table[],
): Result<readonly Table[], TextProblem<NftablesProblemCode>> {
  const parsed = parseNftablesJson(source)
  if (!parsed.ok) return parsed
  const known = new Set(tables.map(formatTableId))
  const twice = parsed.value.find((table) => known.has(formatTableId(table)))
  if (twice === undefined) return { ok: true, value: [...tables, ...parsed.value] }
  const message = `table ${twice.family} ${twice.name} already exists`
  return {
    ok: false,
    problems: [createTextProblem({ code: 'duplicateName', text: 0, line: 1, column: 1, message }, source)],
  }
}

/**
 * Joins adjacent commands into one input, because parsing very many individual commands is slow. JSON is parsed
 * separately. The text of a large table is neither split into lines nor copied.
 */
function joinedCommands(sections: readonly DumpSection[]): readonly DumpSection[] {
  const joined: { section: DumpSection; parts: string[]; nextLine: number }[] = []
  for (const section of sections) {
    const source = section.source.replace(/\n$/, '')
    const nextLine = section.line + countLines(source)
    const last = joined.at(-1)
    const follows = last !== undefined && last.section.text === section.text && last.nextLine === section.line
    const isText = last !== undefined && !isJson(last.section.source) && !isJson(source)
    if (follows && isText) {
      last.parts.push(source)
      last.nextLine = nextLine
    } else joined.push({ section, parts: [source], nextLine })
  }
  return joined.map(({ section, parts }) => ({ ...section, source: parts.join('\n') }))
}

function countLines(text: string): number {
  let count = 1
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1
  return count
}

function placed(problem: NftablesProblem, source: string, text: number, line: number): NftablesProblem {
  const excerpt = source.split('\n')[problem.line - 1] ?? ''
  return createTextProblem({ ...problem, text, line: problem.line + line - 1 }, excerpt)
}
