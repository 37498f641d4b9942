import type { Element } from '@kube-rules/compiler/internal/dataplane/nftables/ast'
import { peekToken, type Scanner } from '@kube-rules/compiler/internal/dataplane/nftables/parse/scanner'
import { parseElements } from '../parse/parse-element.js'
import { parseKey } from '../parse/parse-key.js'
import { OPERATORS_BY_WORD } from '../parse/parse-statement.js'
import {
  consumeAdjacentWords,
  consumeEntry,
  consumeSetName,
  isPunctuation,
  skipPunctuation,
  skipWord,
} from '../parse/tokens.js'
import { type ComparisonClause, type ComparisonOperator, type KeyPart, type MapLookup, typesOfKey } from './clause.js'
import { hasOperator } from './read-key.js'

const OPERATORS: ReadonlyMap<string, ComparisonOperator> = new Map([...OPERATORS_BY_WORD, ['!', 'none']])

/** The types of bits. Without an operator, one of the bits must be set. */
const BIT_TYPES: ReadonlySet<string | undefined> = new Set([
  'ct_state',
  'ct_status',
  'tcp_flag',
  'ct_label',
  'ct_event',
])

/** Reads the rest of a match after the selectors: `!= 80`, `& 0xff == 1`, `syn / fin,syn`, `{ 80, 443 }`, `@set`. */
export function readComparison(scanner: Scanner, left: readonly KeyPart[]): ComparisonClause | undefined {
  const masked = skipWord(scanner, '&') || skipWord(scanner, 'and')
  const mask = masked ? consumeSum(scanner) : undefined
  if (masked && mask === undefined) return undefined
  const word = consumeEntry(scanner, OPERATORS)
  const operator = word ?? (masked || !isOfBits(left) ? '==' : 'any')
  const token = peekToken(scanner)
  const comparison = (right: ComparisonClause['right'], bits = mask): ComparisonClause | undefined => {
    if (hasOperator(scanner)) return undefined
    const isOfSet = right.kind === 'named' || isPunctuation(token, '{')
    return { kind: 'comparison', left, mask: bits, operator: isOfSet && operator === 'any' ? '==' : operator, right }
  }
  if (isPunctuation(token, '{')) {
    const elements = parseElements(scanner, { key: typesOfKey(left), data: [] })
    if (elements === undefined || elements.length === 0 || !elements.every(isBare)) return undefined
    return comparison({ kind: 'keys', keys: elements.map(({ key }) => key) })
  }
  const set = consumeSetName(scanner)
  if (set !== undefined) return comparison({ kind: 'named', set })
  if (!isOfBits(left) && mask === undefined) {
    const key = parseKey(scanner, typesOfKey(left))
    return key === undefined ? undefined : comparison({ kind: 'keys', keys: [key] })
  }
  return readBits(scanner, operator, comparison)
}

/** Reads a value of bits: `syn`, `established,related`, `syn / fin,syn`, `(fin | syn)`. */
function readBits(
  scanner: Scanner,
  operator: ComparisonOperator,
  comparison: (right: ComparisonClause['right'], mask?: string) => ComparisonClause | undefined,
): ComparisonClause | undefined {
  const value = consumeSum(scanner)
  if (value === undefined) return undefined
  const right = { kind: 'keys', keys: [value] } as const
  if (!skipWord(scanner, '/')) return comparison(right)
  const mask = consumeSum(scanner)
  const compared = mask === undefined ? undefined : comparison(right, mask)
  // Without an operator, the masked value must be equal.
  return compared && { ...compared, operator: operator === 'any' ? '==' : operator }
}

function isOfBits(left: readonly KeyPart[]): boolean {
  return left.length === 1 && BIT_TYPES.has(typesOfKey(left)[0])
}

function isBare(element: Element): boolean {
  return Object.keys(element).length === 1
}

/**
 * Consumes a number or names of bits, joined with `,` or `|`, with or without parentheses: `fin,syn`, `(fin | syn)`.
 * Returns the names joined with `|`.
 */
export function consumeSum(scanner: Scanner): string | undefined {
  const parts: string[] = []
  let isOpen = false
  for (;;) {
    const part = consumeAdjacentWords(scanner)
    if (part === undefined) return undefined
    isOpen = (isOpen || (parts.length === 0 && part.startsWith('('))) && !part.endsWith(')')
    parts.push(part)
    if (skipPunctuation(scanner, ',')) {
      parts.push('|')
      continue
    }
    const next = peekToken(scanner)
    if (next.kind !== 'word' || !(isOpen || part.endsWith('|') || next.text.startsWith('|'))) break
  }
  const sum = parts.join('')
  return sum.startsWith('(') && sum.endsWith(')') ? sum.slice(1, -1) : sum
}

/** Reads a map after the word `map` or `vmap`: its elements, or its name. */
export function readMap(scanner: Scanner, key: readonly KeyPart[]): MapLookup | undefined {
  const set = consumeSetName(scanner)
  if (set !== undefined) return { key, map: { kind: 'named', set } }
  const elements = parseElements(scanner, { key: typesOfKey(key), data: [] })
  if (elements === undefined || elements.length === 0) return undefined
  return { key, map: { kind: 'anonymous', elements } }
}
