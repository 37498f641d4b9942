import type { Scanner } from '@kube-rules/compiler/internal/dataplane/nftables/parse/scanner'
import { consumeEntry, consumeNumber, skipWord } from '../parse/tokens.js'
import { type KeyPart, type MarkOwner, type MarkValue, needsOfKey } from './clause.js'
import { readMap } from './read-comparison.js'
import { hasOperator, readKey } from './read-key.js'

const ALL_BITS = 0xffffffff

/** Reads the value that a mark gets: `0x1`, `ct mark & 0xff | 0x1`, `tcp dport map { 80 : 1 }`, `numgen inc mod 4`. */
export function readMarkValue(scanner: Scanner): MarkValue | undefined {
  const value = readValue(scanner)
  return hasOperator(scanner) ? undefined : value
}

function readValue(scanner: Scanner): MarkValue | undefined {
  const number = consumeNumber(scanner)
  if (number !== undefined) return { kind: 'bits', keep: 0, flip: number }
  const key = readKey(scanner)
  if (key === undefined) return undefined
  if (skipWord(scanner, 'map')) {
    const lookup = readMap(scanner, key)
    return lookup && { kind: 'map', lookup }
  }
  return readOperations(scanner, key)
}

/** Reads the bitwise operations after a selector. */
function readOperations(scanner: Scanner, key: readonly KeyPart[]): MarkValue | undefined {
  const [part, ...others] = key
  if (part === undefined || others.length > 0) return undefined
  const from = markOwnerOf(part)
  let [keep, flip] = [ALL_BITS, 0]
  let isShifted = false
  for (
    let operation = consumeEntry(scanner, OPERATIONS);
    operation !== undefined;
    operation = consumeEntry(scanner, OPERATIONS)
  ) {
    const bits = consumeNumber(scanner)
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
