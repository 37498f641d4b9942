import type {
  Chain,
  NamedObject,
  NamedSet,
  Table,
  TableFamily,
} from '@kube-rules/compiler/internal/dataplane/nftables/ast'
import { chainsOfElements, chainsOfRule, setsOfRule } from '@kube-rules/compiler/internal/dataplane/nftables/references'
import { formatChainId, formatSetId, formatTableId } from '@kube-rules/compiler/internal/dataplane/nftables/resources'
import type { NftablesState } from '@kube-rules/compiler/internal/dataplane/nftables/state'
import { isValidName } from '@kube-rules/compiler/internal/dataplane/nftables/words'
import {
  createPasteNote,
  createPasteProblem,
  type LineContinuation,
  type PastedLine,
  type PasteHints,
  type PasteNote,
  type PasteProblemCode,
  type PasteReader,
  type ReadPasteResult,
  type SubsystemCoverage,
} from '../../netfilter/pasted.js'
import { MAX_PROBLEMS, type TextProblem } from '../../netfilter/text-problem.js'
import { parseNftables } from '../parse/parse.js'
import type { NftablesProblemCode } from '../parse/problem.js'
import { nftablesStatesOf } from '../read.js'
import {
  countBraceBalance,
  findPastedTables,
  findTrailingComment,
  isBlockStart,
  isTableLine,
  type PastedTable,
  type PastedTableFragment,
} from './parts.js'

type Code = NftablesProblemCode | PasteProblemCode

/** Reads excerpts of `nft list ruleset` and parts of it. */
export const nftablesPasteReader: PasteReader<NftablesState, NftablesProblemCode> = {
  begins: (line) => (isBlockStart(line) ? within(countBraceBalance(line)) : undefined),
  remarkAt: findTrailingComment,
  hasUnreadLines: ({ tables }) =>
    tables.some(({ chains }) =>
      chains.some(({ rules }) =>
        rules.some(({ statements: [first] }) => first?.kind === 'unknown' && !isTableLine(first.words.join(' '))),
      ),
    ),
  read,
}

/** Returns a continuation that accepts every line within the braces of a part, and then the next part. */
function within(depth: number): LineContinuation {
  return (line) => {
    const next = depth + countBraceBalance(line)
    if (depth <= 0)
      return isBlockStart(line) || line === '' ? within(Math.max(0, next)) : /^\}/.test(line) ? within(0) : undefined
    return within(next)
  }
}

/** The result of parsing one chain, set or object. */
interface ReadPart {
  readonly table: { readonly family: TableFamily; readonly name: string }
  readonly chain?: Chain | undefined
  readonly set?: NamedSet | undefined
  readonly object?: NamedObject | undefined
  readonly isWhole: boolean
  /** Whether the content may belong to another part, or to a part of the same name of the other family. */
  readonly isUncertain: boolean
}

function read(lines: readonly PastedLine[], hints: PasteHints): ReadPasteResult<NftablesState, Code> {
  const { tables: heads, parts, problems: found } = findPastedTables(lines)
  const problems: TextProblem<Code>[] = [...found]
  const notes: PasteNote[] = []
  const shown = parts.find((part) => part.table === undefined && familyShownBy(part) !== undefined)
  const family = (shown && familyShownBy(shown)) ?? (hints.family === 'IPv6' ? 'ip6' : 'ip')
  const read = parts.flatMap((part) => readPart(part, { hints, family }, problems, notes) ?? [])
  const tables = new Map<string, Table>()
  for (const head of heads) if (!tables.has(formatTableId(head))) tables.set(formatTableId(head), tableOf(head, head))
  const whole = new Set<string>()
  for (const part of read) {
    const id = formatTableId(part.table)
    const isBetter = part.isWhole && !whole.has(idOf(part))
    tables.set(id, withPart(tables.get(id) ?? tableOf(part.table), { ...part, isWhole: isBetter }))
    if (part.isWhole) whole.add(idOf(part))
  }
  const all = [...tables.values()]
  const wholeTables = all.filter((table) => isCompleteTable(table, heads, read)).map(formatTableId)
  const isRulesetListed = lines.some(
    ({ command }) => command?.tool === 'nft' && command.args.includes('ruleset') && command.filter === undefined,
  )
  const isUnbroken =
    found.length === 0 && lines.every(({ kind }) => kind === 'line' || kind === 'blank' || kind === 'end')
  const coverage: SubsystemCoverage = {
    isComplete: isUnbroken && isRulesetListed && wholeTables.length === all.length,
    complete: [...wholeTables, ...whole],
    truncated: uncertainIds(read),
  }
  const states = nftablesStatesOf(all)
  return {
    states,
    coverage: Object.fromEntries(Object.keys(states).map((family) => [family, coverage])),
    problems: problems.slice(0, MAX_PROBLEMS),
    notes,
  }
}

/** Returns the ids of chains and sets that no part shows whole and with certainty, but an uncertain part shows. */
function uncertainIds(parts: readonly ReadPart[]): readonly string[] {
  const certain = new Set(parts.flatMap((part) => (part.isWhole && !part.isUncertain ? idOf(part) : [])))
  return parts.map((part) => (part.isUncertain ? idOf(part) : '')).filter((id) => id !== '' && !certain.has(id))
}

/** Returns a table with the properties of its own lines: comment and flags. */
function tableOf({ family, name }: Pick<Table, 'family' | 'name'>, head?: PastedTable): Table {
  const own = (head?.lines ?? []).map(({ source }) => source).join('\n')
  const parsed = parseNftables(`table ${family} ${name} {\n${own}\n}\n`)
  const [table] = parsed.ok ? parsed.value : []
  return table ?? { family, name, chains: [], sets: [], objects: [] }
}

function idOf({ table, chain, set }: ReadPart): string {
  if (chain !== undefined) return formatChainId(table, chain.name)
  return set === undefined ? '' : formatSetId(table, set.name)
}

/**
 * Adds a part to a table. If the table has a part with this name, the new part replaces it only if the existing part is
 * incomplete and the new part is complete.
 */
function withPart(table: Table, { chain, set, object, isWhole }: ReadPart): Table {
  return {
    ...table,
    chains: chain === undefined ? table.chains : withNamed(table.chains, chain, isWhole),
    sets: set === undefined ? table.sets : withNamed(table.sets, set, isWhole),
    objects: object === undefined ? table.objects : withNamed(table.objects, object, isWhole),
  }
}

function withNamed<T extends { readonly name: string }>(all: readonly T[], one: T, isWhole: boolean): readonly T[] {
  const at = all.findIndex(({ name }) => name === one.name)
  if (at < 0) return [...all, one]
  return isWhole ? [...all.slice(0, at), one, ...all.slice(at + 1)] : all
}

/** Reports whether a table is closed and contains every chain and set that its rules refer to. */
function isCompleteTable(table: Table, heads: readonly PastedTable[], parts: readonly ReadPart[]): boolean {
  const own = heads.filter((head) => formatTableId(head) === formatTableId(table))
  const isClosed =
    own.length === 1 &&
    own.every(
      ({ isClosed, hasGap, at }) =>
        isClosed &&
        !hasGap &&
        at.command?.filter === undefined &&
        at.command?.args.some((word) => /^(?:chain|set|map)s?$/.test(word)) !== true,
    )
  if (!isClosed || parts.some((part) => formatTableId(part.table) === formatTableId(table) && !part.isWhole))
    return false
  const chains = new Set(table.chains.map(({ name }) => name))
  const sets = new Set(table.sets.map(({ name }) => name))
  const rules = table.chains.flatMap((chain) => chain.rules)
  return (
    rules.flatMap(chainsOfRule).every((name) => chains.has(name)) &&
    rules.flatMap(setsOfRule).every((name) => sets.has(name)) &&
    table.sets.flatMap(({ elements }) => chainsOfElements(elements)).every((name) => chains.has(name)) &&
    table.chains.some(({ base }) => base !== undefined)
  )
}

/** Facts for a part without a named table: hints, and the family that other such parts show. */
interface AssumedFacts {
  readonly hints: PasteHints
  readonly family: 'ip' | 'ip6'
}

function readPart(
  part: PastedTableFragment,
  facts: AssumedFacts,
  problems: TextProblem<Code>[],
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
function familyShownBy({ lines }: PastedTableFragment): 'ip' | 'ip6' | undefined {
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
  readonly problems: TextProblem<Code>[]
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
