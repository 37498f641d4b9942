import { quoteText } from '@kube-rules/compiler/internal/dataplane/iptables/quote'
import { tokenize } from '@kube-rules/compiler/internal/dataplane/iptables/tokenizer'
import { MATCH_PATTERNS, TARGET_PATTERNS } from './listing-patterns.js'
import type { ListingRow } from './listing-row.js'

/**
 * Converts a row of a listing to the words after `-A CHAIN`. Unknown listing notation becomes words of an unknown
 * match.
 */
export function toRuleArguments(row: ListingRow): readonly string[] {
  const { matches, target } = readRest(row)
  return [
    ...addressWords('-s', row.source),
    ...addressWords('-d', row.destination),
    ...interfaceWords('-i', row.inInterface),
    ...interfaceWords('-o', row.outInterface),
    ...protocolWords(row.protocol),
    ...(row.options === '-f' ? ['-f'] : row.options === '!f' ? ['!', '-f'] : []),
    ...matches,
    ...target,
  ].map(withoutStrayQuotes)
}

/** Removes an unclosed quote, which would extend beyond its word. */
function withoutStrayQuotes(word: string): string {
  return !word.includes('"') || /^[^ \t"]*"(?:[^"\\]|\\.)*"$/s.test(word) ? word : word.replaceAll('"', '') || '_'
}

function negatable(option: string, text: string): readonly string[] {
  return text.startsWith('!') ? ['!', option, text.slice(1)] : [option, text]
}

function addressWords(option: string, text: string): readonly string[] {
  if (/^(?:anywhere|default|0\.0\.0\.0\/0|::\/0)$/.test(text)) return []
  const address = text
    .replace(/^(!?)localhost(?=$|\/)/, '$1127.0.0.1')
    .replace('127.0.0.1/8', '127.0.0.0/8')
    .replace(CLOUD_HOST, '$1$2.$3.$4.$5')
  return negatable(option, address)
}

/** Matches the host name of an address in Amazon EC2, which the listing of an EKS node contains without option `-n`. */
const CLOUD_HOST = /^(!?)ip-(\d{1,3})-(\d{1,3})-(\d{1,3})-(\d{1,3})\.(?:[a-z0-9-]+\.compute|ec2)\.internal(?=$|\/)/

function interfaceWords(option: string, text: string | undefined): readonly string[] {
  return text === undefined || text === '*' || text === 'any' ? [] : negatable(option, text)
}

function protocolWords(text: string): readonly string[] {
  return text === 'all' || text === '0' ? [] : negatable('-p', text)
}

interface Rest {
  readonly matches: readonly string[]
  /** The words from `-j` or `-g` on. */
  readonly target: readonly string[]
}

function readRest({ rest, target }: ListingRow): Rest {
  const goesTo = /^\[goto\]\s*/.exec(rest)
  const matches: string[] = []
  const targetWords: string[] = []
  let left = rest.slice(goesTo?.[0].length ?? 0)
  while (left !== '') {
    const piece = consumePiece(left, target ?? '')
    if (piece.isTarget) targetWords.push(...piece.words)
    else matches.push(...piece.words)
    left = left.slice(piece.length).trimStart()
  }
  if (target === undefined) return { matches, target: [] }
  return { matches, target: [goesTo === null ? '-j' : '-g', target, ...targetWords] }
}

interface Piece {
  readonly words: readonly string[]
  readonly isTarget: boolean
  readonly length: number
}

function consumePiece(text: string, given: string): Piece {
  if (text.startsWith('/* ')) return parseComment(text)
  for (const { pattern, words, target } of TARGET_PATTERNS) {
    const match = target?.test(given) ? pattern.exec(text) : null
    if (match !== null) return { words: words(match.groups ?? {}), isTarget: true, length: match[0].length }
  }
  for (const { pattern, words } of MATCH_PATTERNS) {
    const match = pattern.exec(text)
    if (match !== null) return { words: words(match.groups ?? {}), isTarget: false, length: match[0].length }
  }
  return consumeUnknown(text, given)
}

/**
 * A comment may contain the marker that ends comments. In a row with one comment, the last marker is the end of the
 * comment.
 */
function parseComment(text: string): Piece {
  const last = text.lastIndexOf(' */')
  const end = text.indexOf('/* ', 1) < 0 ? last : text.indexOf(' */')
  const length = end < 0 ? text.length : end + 3
  const comment = text.slice(3, end < 0 ? text.length : end)
  return { words: ['-m', 'comment', '--comment', quoteText(comment, 'save')], isTarget: false, length }
}

/** Consumes unknown text up to the end of the row: the options of an unsupported target, or else unknown matches. */
function consumeUnknown(text: string, target: string): Piece {
  const isTarget = OTHER_TARGETS.test(target) || text.startsWith(`${target} `)
  const words = wordsOf(text)
  return { words: isTarget ? words : ['-m', 'listed', ...words], isTarget, length: text.length }
}

/** Targets with listing notation that cannot be converted. */
const OTHER_TARGETS =
  /^(?:LOG|NFLOG|CT|CONNMARK|TCPMSS|CHECKSUM|TPROXY|NETMAP|NFQUEUE|SET|TEE|CLASSIFY|TOS|DSCP|TTL|AUDIT|NOTRACK|TRACE|SYNPROXY|HMARK|CLUSTERIP)$/

/**
 * Splits text into words. A word that begins with a dash is put in quotes, because it would otherwise start another
 * option.
 */
function wordsOf(text: string): readonly string[] {
  const tokens = tokenize(text, 0, text.length)
  const words = tokens.ok ? tokens.words : (text.replaceAll('"', '').match(/\S+/g) ?? [])
  return words.map((word) => (/^(?:!$|-)/.test(word) ? `"${word.replaceAll('"', '')}"` : word))
}
