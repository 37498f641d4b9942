import { invariant } from '../../../internal/invariant.js'
import { UNPRINTABLE_CHARACTER } from '../words.js'
import { nextToken, type Scanner, type Token } from './scanner.js'

/**
 * Reports whether nft reads the line of these words, joined with spaces, as the same words: no word is empty or has a
 * space outside quotes, braces are balanced, and `;` occurs only within braces.
 */
export function canJoinWords(words: readonly string[]): boolean {
  const source = words.join(' ')
  if (UNPRINTABLE_CHARACTER.test(source.replaceAll('\t', ' '))) return false
  const scanner: Scanner = { source, at: 0 }
  const joined: string[] = []
  let depth = 0
  let previous: Token | undefined
  for (let token = nextToken(scanner); token.kind !== 'end'; token = nextToken(scanner)) {
    if (token.kind === 'note' || token.kind === 'openString') return false
    if (token.kind === 'mark' && token.text === '\\') return false
    if (token.kind === 'mark') depth += token.text === '{' ? 1 : token.text === '}' ? -1 : 0
    if (depth < 0 || (depth === 0 && token.kind === 'mark' && token.text === ';')) return false
    const written = source.slice(token.start, token.end)
    // White space that nft does not print is rejected, because parsers may interpret it in different ways.
    if (token.kind !== 'string' && /\s/.test(written)) return false
    if (previous?.end === token.start) joined[joined.length - 1] += written
    else joined.push(written)
    previous = token
  }
  return depth === 0 && joined.length === words.length && joined.every((word, index) => word === words[index])
}

/**
 * Joins the words of an unknown statement or object with spaces. Throws if the result would not be read as the same
 * words.
 */
export function printUnknownWords(words: readonly string[]): string {
  if (!canJoinWords(words)) invariant(false, `${JSON.stringify(words)} are not words of nftables`)
  return words.join(' ')
}
