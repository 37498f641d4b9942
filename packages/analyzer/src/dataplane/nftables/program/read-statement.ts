import { peekToken, type Scanner } from '@kube-rules/compiler/internal/dataplane/nftables/parse/scanner'
import { createLazyGetter } from '@kube-rules/compiler/internal/internal/memo'
import { attempt, consumeEntry, skipWord } from '../parse/tokens.js'
import { type Clause, type ClauseContent, type KeyPart, needsOfKey } from './clause.js'
import { consumeSum, readComparison, readMap } from './read-comparison.js'
import { readKey } from './read-key.js'
import { readMarkValue } from './read-mark.js'
import { skipValue } from './read-side-effect.js'
import { skipAll, skipAnyWord, skipNothing, skipOneOf, skipOptions } from './skip.js'
import { STATEMENT_ROWS } from './statement-rows.js'

/**
 * Reads the statement at the cursor. If it cannot be read completely, returns undefined, and the cursor is unchanged.
 */
function readStatement(scanner: Scanner): ClauseContent | undefined {
  return attempt(scanner, readByFirstWord)
}

function readByFirstWord(scanner: Scanner): ClauseContent | undefined {
  const read = consumeEntry(scanner, readersByWord())
  if (read !== undefined) return read(scanner)
  return attempt(scanner, readCtStatement) ?? readWithKey(scanner)
}

const readersByWord = createLazyGetter(
  () => new Map(STATEMENT_ROWS.flatMap(({ words, read }) => words.map((word) => [word, read] as const))),
)

/** Reads a statement about the connection: `ct helper set "ftp"`, `ct count over 5`. */
function readCtStatement(scanner: Scanner): ClauseContent | undefined {
  if (!skipWord(scanner, 'ct')) return undefined
  if (skipWord(scanner, 'count')) return skipCount(scanner) ? { kind: 'unknownMatch', needs: [] } : undefined
  return skipChange(scanner) ? { kind: 'pass', needs: [] } : undefined
}

const skipCount = skipAll(skipOptions({ over: skipNothing }), skipAnyWord)

/** Skips the change of an attribute of connections, without effect on the first packet. */
const skipChange = skipAll(
  skipOptions({ original: skipNothing, reply: skipNothing }),
  skipOneOf('helper', 'timeout', 'expectation', 'event', 'label', 'zone'),
  skipOneOf('set'),
  skipValue,
)

/** Reads a statement that begins with selectors: a match, a verdict map, or a change of a field. */
function readWithKey(scanner: Scanner): ClauseContent | undefined {
  const key = readKey(scanner)
  if (key === undefined) return undefined
  if (skipWord(scanner, 'vmap')) {
    const lookup = readMap(scanner, key)
    return lookup && { kind: 'dispatch', lookup }
  }
  if (skipWord(scanner, 'set')) return readChange(scanner, key)
  if (!skipOperations(scanner)) return readComparison(scanner, key)
  // Results of operations other than a mask are not computed.
  return readComparison(scanner, key) && { kind: 'unknownMatch', needs: needsOfKey(key) }
}

const skipOperation = skipOneOf('|', 'or', '^', 'xor', '<<', 'lshift', '>>', 'rshift')

/** Skips bitwise operations with one operand each. Returns false if there are none. */
function skipOperations(scanner: Scanner): boolean {
  let isComputed = false
  while (skipOperation(scanner)) {
    isComputed = true
    consumeSum(scanner)
  }
  return isComputed
}

/** The fields that decide where a packet goes. A packet with changed fields cannot be followed. */
const PATH_FIELDS: ReadonlySet<string> = new Set(
  ['ip', 'ip6']
    .flatMap((header) => ['saddr', 'daddr', 'protocol', 'nexthdr'].map((field) => `${header} ${field}`))
    .concat(['tcp', 'udp', 'sctp', 'th'].flatMap((header) => [`${header} sport`, `${header} dport`])),
)

function readChange(scanner: Scanner, key: readonly KeyPart[]): ClauseContent | undefined {
  const [part, ...others] = key
  if (part?.kind !== 'selector' || others.length > 0) return undefined
  const { selector } = part.row
  if (selector === 'meta mark' || selector === 'ct mark') {
    const value = readMarkValue(scanner)
    const of = selector === 'meta mark' ? 'packet' : 'connection'
    return value && { kind: 'setMark', of, value }
  }
  if (!skipValue(scanner)) return undefined
  const isAttribute = selector.startsWith('meta ')
  const needs = isAttribute ? [] : needsOfKey(key)
  return PATH_FIELDS.has(selector) || changesBytes(selector)
    ? { kind: 'unknownEffect', needs }
    : { kind: 'pass', needs }
}

function changesBytes(selector: string): boolean {
  return selector.startsWith('@')
}

/** Reads up to `most` statements of a text. The last clause is `unread` if the next statement cannot be read. */
export function readStatements(source: string, most: number): readonly Clause[] {
  const scanner: Scanner = { source, at: 0 }
  const clauses: Clause[] = []
  while (clauses.length < most && peekToken(scanner).kind !== 'end') {
    const { at } = scanner
    const content = readStatement(scanner)
    if (content === undefined) return [...clauses, { kind: 'unread', text: source.slice(at).trim() }]
    clauses.push({ ...content, text: source.slice(at, scanner.at).trim() })
  }
  return clauses
}
