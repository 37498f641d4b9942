import type { Chain, NamedObject, NamedSet, TableFamily } from '@kube-rules/compiler/internal/dataplane/nftables/ast'
import { isValidName } from '@kube-rules/compiler/internal/dataplane/nftables/words'
import {
  createPasteNote,
  createPasteProblem,
  type PastedLine,
  type PasteHints,
  type PasteNote,
  type PasteProblemCode,
} from '../../netfilter/pasted.js'
import type { TextProblem } from '../../netfilter/text-problem.js'
import { parseNftables } from '../parse/parse.js'
import type { NftablesProblemCode } from '../parse/problem.js'
import { countBraceBalance, isTableLine, type PastedTableFragment } from './parts.js'

export type PartProblem = TextProblem<NftablesProblemCode | PasteProblemCode>

/** The result of parsing one chain, set or object. */
export interface ReadPart {
  readonly table: { readonly family: TableFamily; readonly name: string }
  readonly chain?: Chain | undefined
  readonly set?: NamedSet | undefined
  readonly object?: NamedObject | undefined
  readonly isWhole: boolean
  /** Whether the content may belong to another part, or to a part of the same name of the other family. */
  readonly isUncertain: boolean
}

/** Facts for a part without a named table: hints, and the family that other such parts show. */
interface AssumedFacts {
  readonly hints: PasteHints
  readonly family: 'ip' | 'ip6'
}

/** Parses a part. Lines that cannot be parsed are problems; undefined if nothing of the part can be parsed. */
export function readPart(
  part: PastedTableFragment,
  facts: AssumedFacts,
  problems: PartProblem[],
  notes: PasteNote[],
): ReadPart | undefined {
  const table = statedTable(part) ?? requestedTable(part.head) ?? assumedTable(part, facts, notes)
  if (table === undefined) {
    problems.push(createPasteProblem(part.head, 'strayLine', `the table of this ${part.kind} is unknown`))
    return undefined
  }
  const reader = { table, part, problems }
  const isStated = (part.table !== undefined && !part.isAfterGap) || requestedTable(part.head) !== undefined
  const isUncertain = part.isTorn || (!isStated && familyShownBy(part) === undefined)
  const parsed = parseIn(reader, part.lines.map(({ source }) => source).join('\n'))
  if (parsed !== undefined) {
    const unread = part.lines.find(({ source }) => source !== '' && !isTableLine(source))
    if (unread !== undefined) problems.push(createPasteProblem(unread, 'cutLine', `expected a line of a ${part.kind}`))
    return { table, ...parsed, isWhole: part.isWhole && unread === undefined, isUncertain }
  }
  if (part.kind === 'chain') return { table, chain: readChain(reader), isWhole: false, isUncertain }
  if (part.kind === 'set' || part.kind === 'map') {
    const set = readSet(reader)
    return set && { table, set, isWhole: false, isUncertain }
  }
  problems.push(createPasteProblem(part.head, 'cutLine', `this ${part.kind} cannot be read`))
  return undefined
}

/** Returns the table in the text before a part. After omitted text, the part may be in a table of the other family. */
function statedTable(part: PastedTableFragment): PastedTableFragment['table'] {
  const { table, isAfterGap } = part
  if (!isAfterGap || (table?.family !== 'ip' && table?.family !== 'ip6')) return table
  return { family: familyShownBy(part) ?? table.family, name: table.name }
}

function assumedTable(
  part: PastedTableFragment,
  { hints, family }: AssumedFacts,
  notes: PasteNote[],
): { readonly family: TableFamily; readonly name: string } | undefined {
  const table = hints.tableOfObject(part.name)
  if (table === undefined) return undefined
  const word = familyShownBy(part) ?? family
  const message = `no line names the table of ${part.name}; it is assumed to be ${word} ${table}`
  notes.push(createPasteNote(part.head, 'assumedTable', message))
  return { family: word, name: table }
}

/** Returns the family of the addresses and endpoint chains in a part; undefined if no line shows it. */
export function familyShownBy({ lines }: PastedTableFragment): 'ip' | 'ip6' | undefined {
  const text = lines.map(({ source }) => source).join('\n')
  if (/\bip6 |ipv6_addr|\bdnat to \[|__(?:[0-9a-f]+\.){7}[0-9a-f]+\/|__[0-9a-f.]*\.\./.test(text)) return 'ip6'
  return /\bip (?:saddr|daddr)|ipv4_addr|\bdnat to \d+\.|__(?:\d+\.){3}\d+\//.test(text) ? 'ip' : undefined
}

/** Returns the table of the preceding command: `nft list table ip nat`, `nft list chain ip6 kube-proxy services`. */
function requestedTable({ command }: PastedLine): { readonly family: TableFamily; readonly name: string } | undefined {
  if (command?.tool !== 'nft') return undefined
  const at = command.args.findIndex((word) => /^(?:table|chain|map|set)$/.test(word))
  const [family, name] = command.args.slice(at + 1)
  return name !== undefined && isValidName(name) && isTableFamily(family) ? { family, name } : undefined
}

function isTableFamily(word: string | undefined): word is TableFamily {
  return word === 'ip' || word === 'ip6' || word === 'inet'
}

interface PartReader {
  readonly table: { readonly family: TableFamily; readonly name: string }
  readonly part: PastedTableFragment
  readonly problems: PartProblem[]
}

type Parsed = Pick<ReadPart, 'chain' | 'set' | 'object'>

function parseIn({ table, part }: PartReader, body: string): Parsed | undefined {
  const parsed = parseNftables(`table ${table.family} ${table.name} {\n${part.kind} ${part.name} {\n${body}\n}\n}\n`)
  const [item] = parsed.ok ? parsed.value : []
  if (item === undefined || parsed.ok === false) return undefined
  return { chain: item.chains[0], set: item.sets[0], object: item.objects[0] }
}

/** Parses a chain statement by statement. Invalid statements are left out. */
function readChain(reader: PartReader): Chain {
  const { part, problems } = reader
  let chain: Chain = { name: part.name, rules: [] }
  for (const { source, at } of statementsOf(part.lines)) {
    const parsed = parseIn(reader, source)?.chain
    if (parsed === undefined) {
      problems.push(createPasteProblem(at, 'cutLine', 'expected a rule'))
      continue
    }
    chain = {
      ...chain,
      ...(parsed.base !== undefined && { base: parsed.base }),
      rules: [...chain.rules, ...parsed.rules],
    }
  }
  return chain
}

interface Statement {
  readonly source: string
  readonly at: PastedLine
}

/** Joins the lines of one statement, with braces that open on one line and close on another. */
function statementsOf(lines: readonly PastedLine[]): readonly Statement[] {
  const statements: Statement[] = []
  let open: { source: string; at: PastedLine; depth: number } | undefined
  for (const line of lines) {
    const depth: number = (open?.depth ?? 0) + countBraceBalance(line.source)
    open =
      open === undefined
        ? { source: line.source, at: line, depth }
        : { ...open, source: `${open.source}\n${line.source}`, depth }
    if (depth > 0) continue
    statements.push(open)
    open = undefined
  }
  return open === undefined ? statements : [...statements, open]
}

/** Returns the set with all parsable elements; undefined if it does not declare its type. */
function readSet(reader: PartReader): NamedSet | undefined {
  const { part, problems } = reader
  const start = part.lines.findIndex(({ source }) => /^elements\s*=/.test(source))
  const head = (start < 0 ? part.lines : part.lines.slice(0, start)).map(({ source }) => source).join('\n')
  const set = parseIn(reader, head)?.set
  if (set === undefined) {
    problems.push(createPasteProblem(part.head, 'cutLine', `the ${part.kind} has no type`))
    return undefined
  }
  // The set has elements here (`start` is not -1). Without elements, `head` would be the whole part, which could not be
  // parsed.
  const lines = part.lines.slice(start)
  const last = lines.at(-1)
  const isCut = last !== undefined && !/[,}]\s*$/.test(last.source)
  const items = lines.flatMap(itemsOf)
  if (isCut) problems.push(createPasteProblem(last, 'cutLine', 'the line is truncated within its last element'))
  const elements = isCut ? items.slice(0, -1) : items
  const read = elements.flatMap(({ source, at }) => {
    const parsed = parseIn(reader, `${head}\nelements = { ${source} }`)?.set?.elements
    if (parsed === undefined) problems.push(createPasteProblem(at, 'cutLine', 'expected an element'))
    return parsed ?? []
  })
  return { ...set, elements: read }
}

function itemsOf(at: PastedLine): readonly Statement[] {
  const bare = at.source.replace(/^elements\s*=\s*\{?/, '').replace(/\}\s*$/, '')
  const items = bare.match(/(?:[^,"]|"[^"]*")+/g) ?? []
  return items.flatMap((item) => (item.trim() === '' ? [] : { source: item.trim(), at }))
}
