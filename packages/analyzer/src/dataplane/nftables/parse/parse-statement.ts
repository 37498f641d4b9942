import type {
  DnatStatement,
  Element,
  MapOperand,
  MarkMatchStatement,
  MatchStatement,
  Operand,
  Operator,
  RejectStatement,
  Selector,
  Statement,
} from '@kube-rules/compiler/internal/dataplane/nftables/ast'
import { parseAddressNumber } from '@kube-rules/compiler/internal/dataplane/nftables/keys/address-numbers'
import { splitConcatenation } from '@kube-rules/compiler/internal/dataplane/nftables/keys/key-components'
import { peekToken, type Scanner } from '@kube-rules/compiler/internal/dataplane/nftables/parse/scanner'
import { typesOfSelectors } from '@kube-rules/compiler/internal/dataplane/nftables/selectors'
import { parseNumber } from '@kube-rules/compiler/internal/dataplane/nftables/words'
import { toDefaultNotation, toPortNumber } from './component-notations.js'
import { consumeCounterValues, consumeDuration, parseElements, parseVerdict } from './parse-element.js'
import { parseKey, parseSelectors } from './parse-key.js'
import {
  attempt,
  consumeAdjacentWords,
  consumeEntry,
  consumeFamily,
  consumeFlags,
  consumeNumber,
  consumeSetName,
  consumeText,
  consumeWord,
  isPunctuation,
  skipPunctuation,
  skipWord,
} from './tokens.js'

/**
 * Parses the statement at the cursor. If the statement is not completely supported, returns undefined, and the cursor
 * is unchanged. Also checks that the token after the statement does not belong to the statement.
 */
export function parseStatement(scanner: Scanner): Statement | undefined {
  return attempt(scanner, readStatement)
}

function readStatement(scanner: Scanner): Statement | undefined {
  const parse = consumeEntry(scanner, STATEMENTS)
  if (parse !== undefined) return parse(scanner)
  return attempt(scanner, parseVerdict) ?? parseMatch(scanner)
}

/** The parsers of statements other than verdicts and matches, by the first word. */
const STATEMENTS: ReadonlyMap<string, (scanner: Scanner) => Statement | undefined> = new Map([
  ['reject', parseReject],
  ['counter', parseCounter],
  ['masquerade', parseMasquerade],
  ['dnat', parseDnat],
  ...(['add', 'update', 'delete'] as const).map(
    (operation) => [operation, (scanner: Scanner) => parseSetUpdate(scanner, operation)] as const,
  ),
])

const REJECT_KINDS: ReadonlySet<string> = new Set(['icmp', 'icmpv6', 'icmpx', 'tcp'])

/** Parses `with icmp port-unreachable` after `reject`. */
export function parseReject(scanner: Scanner): RejectStatement | undefined {
  if (!skipWord(scanner, 'with')) return { kind: 'reject' }
  const kind = consumeWord(scanner)
  if (kind === undefined || !REJECT_KINDS.has(kind)) return undefined
  if (kind !== 'tcp') skipWord(scanner, 'type')
  const what = consumeWord(scanner)
  return what === undefined ? undefined : { kind: 'reject', with: `${kind} ${what}` }
}

/** Parses the rest of a counter after its first word. */
export function parseCounter(scanner: Scanner): Statement | undefined {
  if (skipWord(scanner, 'name')) {
    const name = consumeText(scanner)
    return name === undefined ? undefined : { kind: 'namedCounter', name }
  }
  const counts = consumeCounterValues(scanner)
  return counts === undefined ? undefined : { kind: 'counter', ...counts }
}

/** Option words after `masquerade` and `dnat`. */
const NAT_OPTIONS: ReadonlySet<string> = new Set(['to', 'random', 'fully-random', 'persistent'])

function parseMasquerade(scanner: Scanner): Statement | undefined {
  const fullyRandom = skipWord(scanner, 'fully-random')
  return hasMore(scanner, NAT_OPTIONS) ? undefined : { kind: 'masquerade', fullyRandom }
}

/** Reports whether the next token belongs to the preceding statement: `,`, or one of these words. */
function hasMore(scanner: Scanner, words: ReadonlySet<string>): boolean {
  const token = peekToken(scanner)
  return isPunctuation(token, ',') || isPunctuation(token, '{') || (token.kind === 'word' && words.has(token.text))
}

function parseDnat(scanner: Scanner): DnatStatement | undefined {
  const family = consumeFamily(scanner)
  const printsPorts = skipWord(scanner, 'addr')
  if (printsPorts && !(skipWord(scanner, '.') && skipWord(scanner, 'port'))) return undefined
  if (!skipWord(scanner, 'to')) return undefined
  const address = printsPorts ? undefined : attempt(scanner, parseDestination)
  const to = address ?? parseDestinationMap(scanner, printsPorts)
  if (to === undefined || hasMore(scanner, NAT_OPTIONS)) return undefined
  return { kind: 'dnat', ...(family !== undefined && { family }), to }
}

/** Parses `10.0.0.1`, `10.0.0.1:80` or `[fd00::1]:80`. */
function parseDestination(scanner: Scanner): DnatStatement['to'] | undefined {
  const chunk = consumeAdjacentWords(scanner)
  if (chunk === undefined) return undefined
  if (parseAddressNumber(chunk) !== undefined) return { kind: 'address', address: chunk }
  const colon = chunk.lastIndexOf(':')
  const isBracketed = chunk.startsWith('[') && chunk[colon - 1] === ']'
  const address = isBracketed ? chunk.slice(1, colon - 1) : chunk.slice(0, colon)
  const word = chunk.slice(colon + 1)
  const text = word.startsWith('"') ? toPortNumber(word) : word
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN
  if (parseAddressNumber(address) === undefined || !(port <= 65535) || address.includes(':') !== isBracketed)
    return undefined
  return { kind: 'address', address, port }
}

function parseDestinationMap(scanner: Scanner, printsPorts: boolean): DnatStatement['to'] | undefined {
  const key = parseSelectors(scanner)
  if (key === undefined || !skipWord(scanner, 'map')) return undefined
  const elements = parseElements(scanner, { key: typesOfSelectors(key), data: ['unknown', 'inet_service'] })
  if (elements === undefined || elements.length === 0) return undefined
  if (elements.some(({ data = '' }) => data.endsWith('"'))) return undefined
  const count = destinationPartsOf(elements)
  return count === 2 || (count === 1 && !printsPorts) ? { kind: 'map', key, elements } : undefined
}

/** Returns 1 if all elements are addresses, 2 if all are addresses with ports. Undefined for other elements. */
export function destinationPartsOf(elements: readonly Element[]): 1 | 2 | undefined {
  const counts = new Set(elements.map(({ data }) => (data === undefined ? 0 : splitConcatenation(data).length)))
  const [count] = counts
  return counts.size === 1 && (count === 1 || count === 2) ? count : undefined
}

function parseSetUpdate(scanner: Scanner, operation: 'add' | 'update' | 'delete'): Statement | undefined {
  const set = consumeSetName(scanner)
  if (set === undefined || !skipPunctuation(scanner, '{')) return undefined
  const key = parseSelectors(scanner)
  if (key === undefined) return undefined
  const timeout = skipWord(scanner, 'timeout') ? consumeDuration(scanner) : null
  if (timeout === undefined || !skipPunctuation(scanner, '}')) return undefined
  return { kind: 'setUpdate', operation, set, key, ...(timeout !== null && { timeout }) }
}

export const OPERATORS: ReadonlySet<Operator> = new Set(['==', '!=', '<', '>', '<=', '>='])

/** The operators by their signs and their words. */
export const OPERATORS_BY_WORD: ReadonlyMap<string, Operator> = new Map([
  ...Array.from(OPERATORS, (operator) => [operator, operator] as const),
  ...Object.entries({ eq: '==', ne: '!=', lt: '<', gt: '>', le: '<=', ge: '>=' } as const),
])

/** Bitwise operators, as keywords and as symbols. */
const BIT_OPERATIONS: ReadonlyMap<string, 'or' | 'xor' | 'and'> = new Map([
  ['or', 'or'],
  ['|', 'or'],
  ['xor', 'xor'],
  ['^', 'xor'],
  ['and', 'and'],
  ['&', 'and'],
])

/** Operators that may follow an expression and change its value. */
const VALUE_OPERATORS: ReadonlySet<string> = new Set([
  ...BIT_OPERATIONS.keys(),
  '<<',
  '>>',
  '/',
  '.',
  'set',
  'map',
  'vmap',
  '-',
  '!',
])

function parseMatch(scanner: Scanner): Statement | undefined {
  const left = parseSelectors(scanner)
  if (left === undefined) return undefined
  if (skipWord(scanner, 'vmap')) {
    const map = parseMap(scanner, left)
    return map === undefined ? undefined : { kind: 'vmap', key: left, map }
  }
  const isMark = left.length === 1 && left[0]?.kind === 'meta' && left[0].key === 'mark'
  if (isMark && skipWord(scanner, 'set')) return parseMarkSet(scanner)
  if (isMark && (skipWord(scanner, 'and') || skipWord(scanner, '&'))) return parseMaskedMark(scanner)
  const operator = parseOperator(scanner)
  const right = parseOperand(scanner, left)
  if (right === undefined || hasMore(scanner, VALUE_OPERATORS)) return undefined
  // An omitted operator is stored as `==`. An explicit `==` on flags differs.
  if (operator === undefined) return asMarkMatch({ kind: 'match', left, operator: '==', right }, isMark)
  if (operator === '==' && left.some(isOfFlags)) return undefined
  return asMarkMatch({ kind: 'match', left, operator, right }, isMark)
}

function isOfFlags(selector: Selector): boolean {
  return selector.kind === 'ct' && (selector.key === 'state' || selector.key === 'status')
}

function parseOperator(scanner: Scanner): Operator | undefined {
  return consumeEntry(scanner, OPERATORS_BY_WORD)
}

function parseOperand(scanner: Scanner, left: readonly Selector[]): Operand | undefined {
  const token = peekToken(scanner)
  if (isPunctuation(token, '{')) return parseAnonymousSet(scanner, left)
  if (token.kind === 'word' && VALUE_OPERATORS.has(token.text)) return undefined
  if (token.kind === 'word' && token.text.startsWith('@')) {
    const set = consumeSetName(scanner)
    return set === undefined ? undefined : { kind: 'named', set }
  }
  const value =
    left.length === 1 && left.some(isOfFlags)
      ? consumeFlags(scanner)
          ?.map((flag) => toDefaultNotation(flag, typesOfSelectors(left)[0] ?? ''))
          .join(',')
      : parseKey(scanner, typesOfSelectors(left))
  return value === undefined ? undefined : { kind: 'value', value }
}

function parseAnonymousSet(scanner: Scanner, left: readonly Selector[]): Operand | undefined {
  const elements = parseElements(scanner, { key: typesOfSelectors(left), data: [] })
  if (elements === undefined || elements.length === 0) return undefined
  // An anonymous set here contains only keys, without options or values.
  if (!elements.every((element) => Object.keys(element).length === 1)) return undefined
  return { kind: 'anonymous', keys: elements.map(({ key }) => key) }
}

function parseMap(scanner: Scanner, key: readonly Selector[]): MapOperand | undefined {
  if (!isPunctuation(peekToken(scanner), '{')) {
    const set = consumeSetName(scanner)
    return set === undefined ? undefined : { kind: 'named', set }
  }
  const elements = parseElements(scanner, { key: typesOfSelectors(key), data: [] })
  if (elements === undefined || elements.length === 0) return undefined
  return elements.every(({ verdict }) => verdict !== undefined) ? { kind: 'anonymous', elements } : undefined
}

function parseMarkSet(scanner: Scanner): Statement | undefined {
  const number = consumeNumber(scanner)
  if (number !== undefined) {
    return hasMore(scanner, VALUE_OPERATORS) ? undefined : { kind: 'markSet', operation: 'set', value: number }
  }
  skipWord(scanner, 'meta')
  if (!skipWord(scanner, 'mark')) return undefined
  const operation = consumeEntry(scanner, BIT_OPERATIONS)
  const value = consumeNumber(scanner)
  if (operation === undefined || value === undefined || hasMore(scanner, VALUE_OPERATORS)) return undefined
  return { kind: 'markSet', operation, value }
}

/** Parses the rest after `mark and`. */
function parseMaskedMark(scanner: Scanner): MarkMatchStatement | undefined {
  const mask = consumeNumber(scanner)
  const operator = parseOperator(scanner) ?? '=='
  const value = consumeNumber(scanner)
  if (mask === undefined || value === undefined || (operator !== '==' && operator !== '!=')) return undefined
  return hasMore(scanner, VALUE_OPERATORS) ? undefined : { kind: 'markMatch', mask, operator, value }
}

/** Converts a comparison of a mark with a value, or with a bit prefix. Returns any other match unchanged. */
export function asMarkMatch(match: MatchStatement, isMark: boolean): Statement {
  const { operator, right } = match
  if (!isMark || right.kind !== 'value' || (operator !== '==' && operator !== '!=')) return match
  const [text = '', length] = right.value.split('/')
  const value = parseNumber(text)
  const mask = length === undefined ? 0xffffffff : highBits(length)
  return value === undefined || mask === undefined ? match : { kind: 'markMatch', mask, operator, value }
}

function highBits(length: string): number | undefined {
  if (!/^\d{1,2}$/.test(length) || Number(length) > 32) return undefined
  return Number(length) === 0 ? 0 : (0xffffffff << (32 - Number(length))) >>> 0
}
