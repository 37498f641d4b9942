import type { Scanner } from '@kube-rules/compiler/internal/dataplane/nftables/parse/scanner'
import { parseNumber } from '@kube-rules/compiler/internal/dataplane/nftables/words'
import { consumeWord, skipWord } from '../parse/tokens.js'
import { type KeyPart, type MarkOwner, type MarkValue, needsOfKey } from './clause.js'
import { readMap } from './read-comparison.js'
import { hasOperator, readKey } from './read-key.js'

const ALL_BITS = 0xffffffff

/** Reads the value that a mark gets: `0x1`, `ct mark & 0xff | 0x1`, `tcp dport map { 80 : 1 }`, `numgen inc mod 4`. */
export function readMarkValue(scanner: Scanner): MarkValue | undefined {
  const { at } = scanner
  const number = parseNumber(consumeWord(scanner) ?? '')
  if (number !== undefined) return hasOperator(scanner) ? undefined : { kind: 'bits', keep: 0, flip: number }
  scanner.at = at
  const key = readKey(scanner)
  if (key === undefined) return undefined
  if (skipWord(scanner, 'map')) {
    const lookup = readMap(scanner, key)
    return lookup === undefined || hasOperator(scanner) ? undefined : { kind: 'map', lookup }
  }
  const [part] = key
  if (part === undefined || key.length > 1) return undefined
  return readOperations(scanner, part)
}

/** Reads the bitwise operations after a selector. */
function readOperations(scanner: Scanner, part: KeyPart): MarkValue | undefined {
  const from = markOwnerOf(part)
  let [keep, flip] = [ALL_BITS, 0]
  let isShifted = false
  for (let operation = consumeOperation(scanner); operation !== undefined; operation = consumeOperation(scanner)) {
    const bits = parseNumber(stripParentheses(consumeWord(scanner) ?? ''))
    if (bits === undefined) return undefined
    switch (operation) {
      case 'and':
        ;[keep, flip] = [(keep & bits) >>> 0, (flip & bits) >>> 0]
        break
      case 'or':
        ;[keep, flip] = [(keep & ~bits) >>> 0, (flip | bits) >>> 0]
        break
      case 'xor':
        flip = (flip ^ bits) >>> 0
        break
      case 'shift':
        isShifted = true
    }
  }
  if (hasOperator(scanner)) return undefined
  if (from !== undefined && !isShifted) return { kind: 'bits', from, keep, flip }
  if (part.kind === 'generated' && keep === ALL_BITS && flip === 0 && !isShifted) return { kind: 'generated', part }
  return { kind: 'unknown', needs: needsOfKey([part]) }
}

function markOwnerOf(part: KeyPart): MarkOwner | undefined {
  if (part.kind === 'generated') return undefined
  if (part.row.selector === 'meta mark') return 'packet'
  return part.row.selector === 'ct mark' ? 'connection' : undefined
}

type Operation = 'and' | 'or' | 'xor' | 'shift'

const OPERATIONS: ReadonlyMap<string, Operation> = new Map([
  ['&', 'and'],
  ['and', 'and'],
  ['|', 'or'],
  ['or', 'or'],
  ['^', 'xor'],
  ['xor', 'xor'],
  ['<<', 'shift'],
  ['lshift', 'shift'],
  ['>>', 'shift'],
  ['rshift', 'shift'],
])

function consumeOperation(scanner: Scanner): Operation | undefined {
  const { at } = scanner
  const operation = OPERATIONS.get(consumeWord(scanner) ?? '')
  if (operation === undefined) scanner.at = at
  return operation
}

function stripParentheses(word: string): string {
  return word.startsWith('(') && word.endsWith(')') ? word.slice(1, -1) : word
}
