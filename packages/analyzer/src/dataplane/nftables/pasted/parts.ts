import type { TableFamily } from '@kube-rules/compiler/internal/dataplane/nftables/ast'
import { createPasteProblem, type PastedLine, type PasteProblemCode } from '../../netfilter/pasted.js'
import type { TextProblem } from '../../netfilter/text-problem.js'

/** A chain, set, map or other part of a table, as lines. */
export interface PastedTableFragment {
  /** The table; undefined if no line names it. */
  readonly table: { readonly family: TableFamily; readonly name: string } | undefined
  readonly kind: string
  readonly name: string
  /** The line that opens the part. `lines` are the lines between the braces of the part. */
  readonly head: PastedLine
  readonly lines: PastedLine[]
  isWhole: boolean
  /** Whether lines are missing in the output although no line marks the omission. */
  isTorn: boolean
  /** Whether the table may be another one, because text is missing between its first line and the part. */
  readonly isAfterGap: boolean
}

export interface PastedTable {
  readonly family: TableFamily
  readonly name: string
  readonly at: PastedLine
  /** Lines of the table itself: its comment and flags. */
  readonly lines: PastedLine[]
  isClosed: boolean
  hasGap: boolean
  /** Whether text was omitted that may contain the first line of another table. */
  isInterrupted: boolean
}

export interface PastedTables {
  readonly tables: readonly PastedTable[]
  readonly parts: readonly PastedTableFragment[]
  readonly problems: readonly TextProblem<PasteProblemCode>[]
}

interface Reader {
  readonly tables: PastedTable[]
  readonly parts: PastedTableFragment[]
  readonly problems: TextProblem<PasteProblemCode>[]
  table: PastedTable | undefined
  part: PastedTableFragment | undefined
  /** The number of open braces within the part. */
  depth: number
  /** Whether text of the part is missing. In this case, the following text may belong to another part. */
  isTorn: boolean
  /** The number of parts before the current output. */
  partsBefore: number
  /** The number of places in the current output where lines are missing although no line marks the omission. */
  unmarkedGaps: number
  /** Whether a line marks an omission since the last part was opened. */
  isAfterMark: boolean
  /** Whether a table ended in the current output, so that the next part needs the first line of a table. */
  isAfterTable: boolean
}

const TABLE = /^table\s+(?:(ip|ip6|inet|arp|bridge|netdev)\s+)?([\w.-]+)\s*\{\s*(?:#.*)?$/
const PART =
  /^(chain|set|map|counter|quota|limit|flowtable|ct helper|ct timeout|ct expectation|synproxy|secmark)\s+([\w./:-]+)\s*\{\s*(?:#.*)?$/

/** Reports whether a line starts a table or a part of a table. */
export function isBlockStart(line: string): boolean {
  return TABLE.test(line) || PART.test(line)
}

/** Finds the tables of an excerpt and their parts, as lines. An unclosed part is incomplete. */
export function findPastedTables(lines: readonly PastedLine[]): PastedTables {
  const reader: Reader = {
    tables: [],
    parts: [],
    problems: [],
    table: undefined,
    part: undefined,
    depth: 0,
    isTorn: false,
    partsBefore: 0,
    unmarkedGaps: 0,
    isAfterMark: false,
    isAfterTable: false,
  }
  for (const line of lines) consumeLine(reader, line)
  endOutput(reader)
  return reader
}

/**
 * Ends an output. If lines are missing without a mark in more than one place, as after a filter, they may be missing in
 * any part.
 */
function endOutput(reader: Reader): undefined {
  closeAll(reader)
  if (reader.unmarkedGaps > 1) {
    for (const part of reader.parts.slice(reader.partsBefore)) {
      part.isWhole = false
      part.isTorn = true
    }
  }
  reader.partsBefore = reader.parts.length
  reader.unmarkedGaps = 0
  reader.isAfterMark = false
  reader.isAfterTable = false
}

/** Records missing lines in the open part, which a line before them may mark. They count once for each part. */
function tearPart(reader: Reader): void {
  if (!reader.isTorn) tear(reader)
  reader.isTorn = true
}

/** Records missing lines, which a line before them may mark. */
function tear(reader: Reader): void {
  if (!reader.isAfterMark) reader.unmarkedGaps++
}

function consumeLine(reader: Reader, line: PastedLine): undefined {
  if (line.kind === 'blank') return
  if (line.kind === 'end') return endOutput(reader)
  if (line.kind === 'gap' || line.kind === 'unread') {
    // A line of a table that is in none shows that lines before it are missing. Other text marks the place.
    if (line.kind === 'unread' && isTableLine(line.source)) tear(reader)
    else reader.isAfterMark = true
    if (reader.table !== undefined && line.kind === 'gap') reader.table.isInterrupted = true
    if (reader.part !== undefined) reader.part.isWhole = false
    if (reader.table !== undefined) reader.table.hasGap = true
    reader.isTorn = true
    return
  }
  const [, family = 'ip', table] = TABLE.exec(line.source) ?? []
  if (table !== undefined) return openTable(reader, line, { family: family as TableFamily, name: table })
  const isPart = reader.depth === 0 || isHeadInside(reader, line.source)
  const [, kind, name] = (isPart ? PART.exec(line.source) : null) ?? []
  if (kind !== undefined && name !== undefined) return openPart(reader, line, { kind, name })
  if (reader.part === undefined) return consumeOutside(reader, line)
  if (reader.depth === 1 && isOfOther(reader.part, line.source)) tearPart(reader)
  reader.depth += countBraceBalance(line.source)
  if (reader.depth <= 0 && !line.source.startsWith('}')) {
    // The closing brace of a part is on a line of its own, but this one is not. It therefore ends the elements of a
    // set, and the beginning of this set is missing.
    reader.depth = 1
    tearPart(reader)
  }
  if (line.isCut || (reader.isTorn && reader.depth > 0)) {
    if (reader.table !== undefined) reader.table.hasGap = true
    reader.part.isWhole = false
    reader.problems.push(createPasteProblem(line, 'cutLine', 'something is missing before or within this line'))
    return
  }
  if (reader.depth > 0) {
    reader.part.lines.push(line)
    return
  }
  reader.part = undefined
  reader.depth = 0
}

/** Reports whether a part starts before the open part is closed. In this case, the open part is truncated. */
function isHeadInside({ part }: Reader, source: string): boolean {
  return part !== undefined && PART.test(source)
}

/**
 * Reports whether a line cannot belong to the open part. If so, the end of this part and the beginning of the part with
 * this line are missing.
 */
function isOfOther({ kind, lines }: PastedTableFragment, source: string): boolean {
  if ((kind === 'set' || kind === 'map') && isLineOfChain(source)) return true
  if (kind !== 'chain') return lines.length > 1 && /^type\s/.test(source)
  if (/^(?:elements\s*=|gc-interval\s|size\s|timeout\s|typeof\s)/.test(source)) return true
  if (lines.length === 0) return false
  return /^comment\s/.test(source) || (/^type\s/.test(source) && !/^comment\s/.test(lines.at(-1)?.source ?? ''))
}

/** Reports whether a line in the braces of a set is a line of a chain: neither a property nor an element of a set. */
function isLineOfChain(source: string): boolean {
  return isTableLine(source) && !SET_LINE.test(source)
}

function openTable(
  reader: Reader,
  line: PastedLine,
  { family, name }: Pick<PastedTable, 'family' | 'name'>,
): undefined {
  if ((reader.part !== undefined || reader.table !== undefined) && !reader.isTorn) tear(reader)
  closeAll(reader)
  reader.table = { family, name, at: line, lines: [], isClosed: false, hasGap: false, isInterrupted: false }
  reader.tables.push(reader.table)
}

function openPart(
  reader: Reader,
  head: PastedLine,
  { kind, name }: Pick<PastedTableFragment, 'kind' | 'name'>,
): undefined {
  const isInside = reader.part !== undefined && !reader.isTorn
  if (isInside || (reader.table === undefined && reader.isAfterTable)) tear(reader)
  if (reader.part !== undefined) cut(reader)
  reader.isAfterMark = false
  const { table } = reader
  reader.part = {
    table: table && { family: table.family, name: table.name },
    kind,
    name,
    head,
    lines: [],
    isWhole: head.command?.filter === undefined,
    isTorn: false,
    isAfterGap: table?.isInterrupted === true,
  }
  reader.parts.push(reader.part)
  reader.depth = 1
  reader.isTorn = false
}

function consumeOutside(reader: Reader, line: PastedLine): undefined {
  if (/^\}/.test(line.source)) {
    if (reader.table === undefined && reader.isAfterTable) tear(reader)
    reader.isAfterTable ||= reader.table !== undefined
    if (reader.table !== undefined) reader.table.isClosed = true
    reader.table = undefined
    return
  }
  if (reader.table !== undefined && /^(?:comment|flags)\s/.test(line.source)) {
    reader.table.lines.push(line)
    return
  }
  if (reader.table !== undefined) {
    reader.table.hasGap = true
    tear(reader)
  }
  reader.problems.push(createPasteProblem(line, 'strayLine', 'the table of this line is unknown'))
}

/** Marks open parts as truncated. */
function cut(reader: Reader): void {
  if (reader.part !== undefined) reader.part.isWhole = false
  if (reader.table !== undefined) reader.table.hasGap = true
}

function closeAll(reader: Reader): undefined {
  if (reader.part !== undefined) cut(reader)
  reader.part = undefined
  reader.table = undefined
  reader.depth = 0
}

/** Counts the opening braces of a line minus its closing braces. Braces in quotes are text and do not count. */
export function countBraceBalance(source: string): number {
  const bare = source.replace(/"[^"]*"/g, '').replace(/\s#.*$/s, '')
  return [...bare].reduce((sum, character) => sum + (character === '{' ? 1 : character === '}' ? -1 : 0), 0)
}

/**
 * Matches the first words of the lines in the braces of a set: its properties, statements that its elements inherit, the
 * end of its elements, and a brace.
 */
const SET_LINE =
  /^(?:\}|(?:auto-merge|comment|counter|ct count|elements|flags|gc-interval|last|limit|policy|quota|size|timeout|type|typeof)(?![\w-]))/

/** The first words of lines between the braces of a table. */
const WORDS = `
  accept add arp bytes chain comment continue counter ct delete dnat drop dup elements ether exthdr fib flags flow
  fwd gc-interval goto hook icmp icmpv6 iif iifgroup iifname ip ip6 jhash jump limit log map mark masquerade meta
  notrack numgen oif oifgroup oifname packets policy queue quota redirect reject return rt sctp set size snat
  socket symhash synproxy tcp th timeout tproxy type typeof udp udplite update vlan vmap xt
`

/**
 * Matches the beginning of a line in a table: one of these words, an address or number of an element, a quoted word, or
 * a brace.
 */
const BEGINNING = new RegExp(
  `^(?:(?:${WORDS.trim().replace(/\s+/g, '|')})(?=[\\s{:]|$)|["{}@]|[0-9a-f]*[0-9:.][0-9a-f:./]*(?=[\\s,}-]))`,
)

/** Reports whether nft may print such a line between the braces of a table. */
export function isTableLine(line: string): boolean {
  return BEGINNING.test(line)
}

/**
 * Returns the position of a remark after `#` on a line of a table; undefined if the line has no remark. The handle that
 * `nft -a` prints is not a remark, nor is quoted text.
 */
export function findTrailingComment(line: string): number | undefined {
  if (!line.includes('#') || !BEGINNING.test(line)) return undefined
  const bare = line.replace(/"[^"]*"/g, (text) => ' '.repeat(text.length))
  const at = bare.search(/\s#/)
  return at < 0 || /^#\s*handle \d+\s*$/.test(line.slice(at + 1)) ? undefined : at + 1
}
