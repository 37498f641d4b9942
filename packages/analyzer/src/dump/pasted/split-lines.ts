import { joinBrokenLines } from './broken-lines.js'
import { cleanLine } from './clean-line.js'

/** An original line of an input, or one of several lines that a web page joined. */
export interface OriginalLine {
  /** The column, from 1. */
  readonly line: number
  readonly source: string
  /** The number of characters that precede the text in the original line. */
  readonly before: number
  /** The complete line of the text. */
  readonly written: string
  /** Whether the line is a removed line of a diff. */
  readonly isRemoved: boolean
  /** Whether the line consists of several lines that were broken in one column. */
  readonly isJoined: boolean
  /** Whether the line was cut, like all lines of its length. */
  readonly isCut: boolean
}

/**
 * Splits an input into lines, without the line numbers of `cat -n` and web pages. Joined lines are split again, and
 * removed lines of a diff are marked.
 */
export function splitLines(text: string): readonly OriginalLine[] {
  const wholeLines = joinBrokenLines(text.split(/\r\n|\n|\r/))
  const lines = wholeLines.map(({ source }) => source)
  const numbers = numbersBefore(lines)
  const isDifference = lines.some((line) => DIFFERENCE.test(line))
  return wholeLines.flatMap(({ line, source: written, isJoined, isCut }, index): readonly OriginalLine[] => {
    const start = numbers.get(index) ?? 0
    const isRemoved = isDifference && REMOVED.test(written.slice(start))
    return piecesOf(written.slice(start)).map(({ source, before }) => ({
      line,
      source,
      before: start + before,
      written,
      isRemoved,
      isJoined,
      isCut,
    }))
  })
}

const DIFFERENCE = /^(?:\$\s*)?(?:diff\s+(?:-|\S+\s+\S+\s*$)|@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@)/
const REMOVED = /^-\s?(?:\[\d+:\d+\]\s*)?(?:-[ANP]\s|:[A-Z])/

const NUMBER = /^\s*(\d{1,6})(?:[\t:|.)]|(?=\s|$))[ \t]?/

/** Line starts of tool output. A number before them is a line number. */
const NUMBERED =
  /^\s*(?:-[ANP]\s|:[A-Z]\S* |\*[a-z]+\s*$|Chain\s|table\s|chain\s|TCP\s|UDP\s|->\s|(?:create|add)\s|Name:)/

/**
 * Returns the length of the line number of each line that has one, by line index. Line numbers count only in three or
 * more consecutive lines that are not all rows of a listing.
 */
function numbersBefore(lines: readonly string[]): ReadonlyMap<number, number> {
  const numbers = new Map<number, number>()
  let run: { readonly index: number; readonly length: number; readonly number: number; readonly rest: string }[] = []
  const close = (): void => {
    if (run.length >= 3 && run.some(({ rest }) => NUMBERED.test(rest)))
      for (const { index, length } of run) numbers.set(index, length)
    run = []
  }
  for (const [index, line] of lines.entries()) {
    if (line.trim() === '') continue
    const match = NUMBER.exec(line)
    const number = Number(match?.[1])
    if (match === null || number !== (run.at(-1)?.number ?? number - 1) + 1) close()
    if (match !== null) run.push({ index, length: match[0].length, number, rest: line.slice(match[0].length) })
  }
  close()
  return numbers
}

type Piece = Pick<OriginalLine, 'source' | 'before'>

/** Matches the start of a rule (`-A CHAIN`) within a line. Does not match the rule of an `iptables … -A` command. */
const RULE = /\s(?=`{0,2}-A [A-Z][\w-]{2,} )(?<!tables\S*(?:\s+-{1,2}\w+(?:\s+\w+)?){0,5}\s)/g
const HEADING =
  /\s(?=Chain [A-Z]\S+ \((?:policy |\d+ references\)))|\s(?=(?:num\s+)?(?:pkts\s+bytes\s+)?target\s+prot\s+opt\s)|(?<=\sdestination)\s+(?=\S)/g
const ROW = /\s(?=[A-Za-z][\w-]*\s+(?:all|tcp|udp|sctp|icmp)\s+(?:--|-f)\s)/g
const ESCAPED = /\\n|(?<=")(?=\*(?:nat|filter)\\n)/g

/** Splits a line that a web page joined from several rules or a whole listing. Also splits quoted text from a log. */
function piecesOf(line: string): readonly Piece[] {
  if (/\\n(?:-A |:[A-Z]|COMMIT)/.test(line))
    return apart(line, ESCAPED).map(({ source, before }) => ({ source: source.replaceAll('\\"', '"'), before }))
  if (isListingInside(line))
    return apart(line, HEADING).flatMap(({ source, before }) => shifted(apart(source, ROW), before))
  return isRuleInside(line) ? apart(line, RULE, true) : [{ source: line, before: 0 }]
}

function isListingInside(line: string): boolean {
  const chain = line.search(/(?:^|\s)Chain [A-Z]\S+ \(/)
  return chain >= 0 && /\starget\s+prot\s+opt\s/.test(line.slice(chain))
}

/** Reports whether a line has a rule after other text or another rule. */
function isRuleInside(line: string): boolean {
  const first = line.indexOf('-A ')
  if (first < 0) return false
  if (/\s-A [A-Z]/.test(line.slice(first + 3))) return true
  if (!/[^\s-]/.test(line.slice(0, 1)) || !/^-A KUBE-\S+\s/.test(line.slice(first))) return false
  return /-[jg] /.test(line.slice(first)) && !/^(?:\[\d+:\d+\]\s*)?-A/.test(cleanLine(line).source)
}

function shifted(pieces: readonly Piece[], by: number): readonly Piece[] {
  return pieces.map(({ source, before }) => ({ source, before: before + by }))
}

/** Splits a line at each match. With `mindsQuotes`, matches within quotes are ignored. */
function apart(line: string, at: RegExp, mindsQuotes = false): readonly Piece[] {
  const pieces: Piece[] = []
  let start = 0
  let scanned = 0
  let isQuoted = false
  for (const match of line.matchAll(at)) {
    const quotes = mindsQuotes ? line.slice(scanned, match.index).split('"').length - 1 : 0
    scanned = match.index
    isQuoted = isQuoted !== (quotes % 2 === 1)
    if (isQuoted) continue
    pieces.push({ source: line.slice(start, match.index), before: start })
    start = match.index + match[0].length
  }
  return [...pieces, { source: line.slice(start), before: start }]
}
