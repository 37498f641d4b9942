import { isServicePortChainOfAnyVersion } from '@kube-rules/compiler/internal/targets/shared/kube-chains'
import { countBraceBalance, isBlockStart, isTableLine } from '../../dataplane/nftables/pasted/parts.js'
import { cleanLine } from './clean-line.js'

/** A line of an input, or a line that was broken into several lines and joined again. */
export interface WholeLine {
  /** The number of the first line, from 1. */
  readonly line: number
  readonly source: string
  /** Whether the line consists of several lines of the input. */
  readonly isJoined: boolean
  /** Whether the line was cut, like all lines of its length. */
  readonly isCut: boolean
}

/** The minimum length of lines that a terminal, mail program or form breaks or cuts. */
const NARROWEST = 40

/**
 * Joins lines that a terminal or a form broke in one column, and marks lines that were cut in one column. Lines are
 * broken if no line is longer than this column and at least two lines of this length continue on the next line, or one
 * line within braces of nft. They are cut if at least one of them certainly ends too early.
 */
export function joinBrokenLines(lines: readonly string[]): readonly WholeLine[] {
  const column = lines.reduce((longest, { length }) => Math.max(longest, length), 0)
  const kind = column < NARROWEST ? undefined : kindOfColumn(lines, column)
  if (kind !== 'broken') {
    return lines.map((source, index) => ({
      line: index + 1,
      source,
      isJoined: false,
      isCut: kind === 'cut' && source.length === column,
    }))
  }
  return joinLines(lines, column).map(({ line, parts, isCut }) => ({
    line,
    source: parts.join(''),
    isJoined: parts.length > 1,
    isCut,
  }))
}

/** The parts of a line that was broken. They are joined once, because a line may consist of very many parts. */
interface PartsOfLine {
  readonly line: number
  readonly parts: string[]
  /** The number of opening braces without a closing one. */
  openBraces: number
  isCut: boolean
}

function startLine(line: number, source: string): PartsOfLine {
  return { line, parts: [source], openBraces: countBraceBalance(source), isCut: false }
}

function joinLines(lines: readonly string[], column: number): readonly PartsOfLine[] {
  const joined: PartsOfLine[] = []
  let open: PartsOfLine | undefined
  for (const [index, source] of lines.entries()) {
    let current = open
    if (current !== undefined && isRest(current, source)) {
      current.parts.push(source)
      current.openBraces += countBraceBalance(source)
    } else {
      current = startLine(index + 1, source)
      joined.push(current)
    }
    open = source.length === column ? current : undefined
    if (open !== undefined && isLostRest(open, lines[index + 1] ?? '')) open.isCut = true
  }
  return joined
}

/** Reports whether a line of nft, or a rule that ends too early, may have a rest that is not on the next line. */
function isLostRest(before: PartsOfLine, next: string): boolean {
  const [beginning = ''] = before.parts
  if (/^\s*(?:$|[:*#])/.test(beginning) || isRest(before, next)) return false
  if (!/^\s*[-[]/.test(beginning)) return true
  const source = before.parts.join('')
  return endsEarly(source) || hasNoTarget(source)
}

/** Reports whether long lines of a text were cut in one column. */
export function hasCutColumn(lines: readonly string[]): boolean {
  const column = lines.reduce((longest, { length }) => Math.max(longest, length), 0)
  return column >= NARROWEST && kindOfColumn(lines, column) !== undefined
}

function kindOfColumn(lines: readonly string[], column: number): 'broken' | 'cut' | undefined {
  const full = lines.flatMap(({ length }, index) => (length === column ? [index] : []))
  const ended = full.filter((index) => !isRest(startLine(index, lines[index] ?? ''), lines[index + 1] ?? ''))
  const continued = full.length - ended.length
  if (continued >= 2 && ended.length * 2 < full.length) return 'broken'
  if (continued >= 1 && full.some((index) => isUnfinished(startLine(index, lines[index] ?? '')))) return 'broken'
  const fullLines = ended.map((index) => cleanLine(lines[index] ?? '').source)
  const isCut =
    fullLines.some(endsEarly) ||
    fullLines.filter(hasNoTarget).length >= 2 ||
    (fullLines.some(endsWithShortHash) && lines.some(hasWholeHash))
  return isCut ? 'cut' : undefined
}

/** The beginnings of the lines that tools print, of prompts, and of decoration by web pages. */
const BEGINNING = new RegExp(
  [
    String.raw`^\s*(?:$|(?:\[\d+:\d+\]\s*)?-[APNIXaD]\s|:\S+ (?:-|ACCEPT|DROP)(?:\s|$)`,
    String.raw`\*(?:nat|filter|mangle|raw|security)\s*$|COMMIT\b|#|Chain\s|(?:num|target|pkts)\s`,
    String.raw`\d+\s+\d+[KMGT]?\s|(?:\d+\s+)?[A-Z][\w-]*\s+(?:all|tcp|udp|sctp|icmp|\d+)\s`,
    String.raw`(?:TCP|UDP|SCTP|FWM)\s+\S*\d|->\s+\S+\s+(?:Masq|Route|Tunnel|Local|\d)`,
    String.raw`(?:add|create)\s+\S+\s+\S|(?:table|chain|set|map)\s[^{}]*\{|elements\s*=|type\s+[a-z]|(?:inet6?|link)\b|[{}]`,
    '(?:Name|Type|Revision|Header|Size in memory|References|Number of entries|Members):',
    String.raw`\[?[\w.-]{1,40}@|[$#%]\s|\`\`\`)`,
  ].join('|'),
)

/** Reports whether a line may be the rest of the line before it: it begins nothing that a tool prints. */
function isRest(before: PartsOfLine, source: string): boolean {
  const [beginning = ''] = before.parts
  const end = before.parts.at(-1) ?? ''
  if (/^\}\s*$/.test(source)) return before.openBraces > 0 && !end.endsWith('{')
  // The arrow in a comment of kube-proxy may be broken: `-> 10.244.1.5:8080`.
  if (source.startsWith('>')) return end.endsWith(' -') && !beginning.startsWith('>') && /^> \[?[0-9a-f]/.test(source)
  if (source === '' || BEGINNING.test(source)) return false
  if (isUnfinished(before)) return true
  const cleaned = cleanLine(source).source
  // The lines of nft begin with many words, and some of them may also be the rest of a rule of iptables.
  const isOfNft = !/^(?:\[\d+:\d+\]\s*)?[-:]/.test(beginning) && isTableLine(cleaned)
  return !isOfNft && !BEGINNING.test(cleaned)
}

/** Reports whether a line of nft ends within an element, or within braces that nft closes on the same line. */
function isUnfinished({ parts, openBraces }: PartsOfLine): boolean {
  const [beginning = ''] = parts
  const end = parts.at(-1) ?? ''
  if (/^\s*[0-9a-f.:]+(?:\/\d+)? [.:] /.test(beginning)) return !/[,}]\s*$/.test(end)
  if (/^\s*elements\s*=/.test(beginning) && /[{,]\s*$/.test(end)) return false
  return openBraces > 0 && !(parts.length === 1 && isBlockStart(beginning.trim()))
}

/** Reports whether a line certainly ends too early: within quotes, a comment or an option. */
function endsEarly(source: string): boolean {
  const isRule = /^(?:\[\d+:\d+\]\s*)?-[AI]\s/.test(source)
  if ((source.split('"').length - 1) % 2 === 1) return true
  if (source.lastIndexOf('/*') > source.lastIndexOf('*/')) return true
  if (!isRule) return false
  const [, answer] = /--reject-with (\S+)$/.exec(source) ?? []
  if (answer !== undefined && !ANSWERS.has(answer)) return true
  if (/--match-set \S+ (?!(?:(?:src|dst),)*(?:src|dst)$)\S*$/.test(source)) return true
  const option = /\s--?([a-z-]*)$/.exec(source)?.[1]
  return option !== undefined && !OPTIONS_WITHOUT_VALUE.has(option)
}

/** Reports whether a rule has no target, which is possible but rare. */
function hasNoTarget(source: string): boolean {
  return /^(?:\[\d+:\d+\]\s*)?-A\s/.test(source) && !/\s-[jg]\s/.test(source)
}

/** Reports whether a line ends within the hash of a chain, if hashes are whole elsewhere in the text. */
function endsWithShortHash(source: string): boolean {
  const [, chain = ''] = /-[jg] (KUBE-[A-Z]+-[A-Z2-7]{0,15})$/.exec(source) ?? []
  return isServicePortChainOfAnyVersion(chain)
}

function hasWholeHash(source: string): boolean {
  return source.match(/KUBE-[A-Z]+-[A-Z2-7]{16}(?![A-Z2-7])/g)?.some(isServicePortChainOfAnyVersion) ?? false
}

/** The options without value that may be the last word of a rule. */
const OPTIONS_WITHOUT_VALUE: ReadonlySet<string> = new Set([
  ...['f', 'random', 'random-fully', 'persistent', 'rsource', 'rdest', 'reap', 'rttl', 'syn', 'notrack', 'nowildcard'],
  ...['physdev-is-in', 'physdev-is-out', 'physdev-is-bridged', 'limit-iface-in', 'limit-iface-out', 'transparent'],
  ...[
    'save-mark',
    'restore-mark',
    'zone-orig',
    'zone-reply',
    'clamp-mss-to-pmtu',
    'checksum-fill',
    'log-uid',
    'invert',
  ],
  ...['log-tcp-sequence', 'log-tcp-options', 'log-ip-options', 'exist', 'del-set', 'queue-bypass', 'queue-cpu-fanout'],
])

/** The values of `--reject-with` that iptables and ip6tables print. */
const ANSWERS: ReadonlySet<string> = new Set([
  ...['icmp-net-unreachable', 'icmp-host-unreachable', 'icmp-port-unreachable', 'icmp-proto-unreachable'],
  ...['icmp-net-prohibited', 'icmp-host-prohibited', 'icmp-admin-prohibited', 'tcp-reset'],
  ...['icmp6-no-route', 'icmp6-adm-prohibited', 'icmp6-addr-unreachable', 'icmp6-port-unreachable'],
  ...['icmp6-policy-fail', 'icmp6-reject-route'],
])
