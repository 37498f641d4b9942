import { cleanLine } from './clean-line.js'

/** A line of a text as somebody wrote it, or one of several that a page has put into one. */
export interface WrittenLine {
  /** From 1. */
  readonly line: number
  readonly source: string
  /** How many characters stand before it in its line. */
  readonly before: number
  /** The whole line of the text. */
  readonly written: string
  /** It is of a difference of two texts, and is gone from the newer one. */
  readonly isRemoved: boolean
}

/**
 * The lines of a text: without the numbers that `cat -n` and pages put before them, lines that were put into one apart again,
 * and of a difference of two texts what is gone told from the rest.
 */
export function writtenLines(text: string): readonly WrittenLine[] {
  const lines = text.split(/\r\n|\n|\r/)
  const numbers = numbersBefore(lines)
  const isDifference = lines.some((line) => DIFFERENCE.test(line))
  return lines.flatMap((written, index): readonly WrittenLine[] => {
    const start = numbers.get(index) ?? 0
    const isRemoved = isDifference && REMOVED.test(written.slice(start))
    return piecesOf(written.slice(start)).map(({ source, before }) => ({
      line: index + 1,
      source,
      before: start + before,
      written,
      isRemoved,
    }))
  })
}

const DIFFERENCE = /^(?:\$\s*)?(?:diff\s+(?:-|\S+\s+\S+\s*$)|@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@)/
const REMOVED = /^-\s?(?:\[\d+:\d+\]\s*)?(?:-[ANP]\s|:[A-Z])/

const NUMBER = /^\s*(\d{1,6})(?:[\t:|.)]|(?=\s|$))[ \t]?/

/** What a row of a numbered listing does not begin with. */
const NUMBERED =
  /^\s*(?:-[ANP]\s|:[A-Z]\S* |\*[a-z]+\s*$|Chain\s|table\s|chain\s|TCP\s|UDP\s|->\s|(?:create|add)\s|Name:)/

/** How many characters number a line, by its index: where three or more lines count on, and are more than rows of a listing. */
function numbersBefore(lines: readonly string[]): ReadonlyMap<number, number> {
  const found = new Map<number, number>()
  let run: { readonly index: number; readonly length: number; readonly number: number; readonly rest: string }[] = []
  const close = (): void => {
    if (run.length >= 3 && run.some(({ rest }) => NUMBERED.test(rest)))
      for (const { index, length } of run) found.set(index, length)
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
  return found
}

type Piece = Pick<WrittenLine, 'source' | 'before'>

/** Where a rule begins, but for one that a command adds. */
const RULE = /\s(?=`{0,2}-A [A-Z][\w-]{2,} )(?<!tables\S*(?:\s+-{1,2}\w+(?:\s+\w+)?)*\s)/g
const HEADING =
  /\s(?=Chain [A-Z]\S+ \((?:policy |\d+ references\)))|\s(?=(?:num\s+)?(?:pkts\s+bytes\s+)?target\s+prot\s+opt\s)|(?<=\sdestination)\s+(?=\S)/g
const ROW = /\s(?=[A-Za-z][\w-]*\s+(?:all|tcp|udp|sctp|icmp)\s+(?:--|-f)\s)/g
const ESCAPED = /\\n|(?<=")(?=\*(?:nat|filter)\\n)/g

/** A line apart where a page has put several rules, or a whole listing, into one; so a text within quotes, as a log has it. */
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

/** Whether a line has a rule behind something else: another one, or words. */
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

/** Apart at each match; with `mindsQuotes` not within quotes. */
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
