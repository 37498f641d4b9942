import {
  canonicalizeKeyComponent,
  haveSingleNotation,
  isSingleValue,
  joinConcatenation,
} from '@kube-rules/compiler/internal/dataplane/nftables/keys/key-components'
import type { Scanner } from '@kube-rules/compiler/internal/dataplane/nftables/parse/scanner'
import { consumeAdjacentWords, skipWord } from './tokens.js'

/**
 * Parses a key at the cursor: components separated by ` . `, in canonical notation of their types. Undefined if the
 * next word is not a key.
 */
export function parseKey(scanner: Scanner, types: readonly string[]): string | undefined {
  const first = consumePart(scanner)
  if (first === undefined) return undefined
  if (!skipWord(scanner, '.')) return printKeyPart(first, types, 0)
  const parts = [first]
  do {
    const part = consumePart(scanner)
    if (part === undefined) return undefined
    parts.push(part)
  } while (skipWord(scanner, '.'))
  if (haveSingleNotation(types)) return joinConcatenation(parts)
  return joinConcatenation(parts.map((part, index) => printKeyPart(part, types, index)))
}

function consumePart(scanner: Scanner): string | undefined {
  const part = consumeAdjacentWords(scanner)
  return part !== undefined && isSingleValue(part) ? part : undefined
}

function printKeyPart(part: string, types: readonly string[], index: number): string {
  const type = types[index]
  return type === undefined ? part : canonicalizeKeyComponent(part, type)
}
