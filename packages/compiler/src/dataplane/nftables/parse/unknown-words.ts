import { invariant } from '../../../internal/invariant.js'
import { UNPRINTABLE } from '../words.js'
import { nextToken, type Scanner, type Token } from './scanner.js'

/**
 * Whether words stay the same words, and one line, when they are joined by blanks: none is empty or has a blank outside
 * quotes, braces come in pairs, and `;` stands in braces only.
 */
export function isKept(words: readonly string[]): boolean {
  const source = words.join(' ')
  if (UNPRINTABLE.test(source.replaceAll('\t', ' '))) return false
  const scanner: Scanner = { source, at: 0 }
  const found: string[] = []
  let depth = 0
  let previous: Token | undefined
  for (let token = nextToken(scanner); token.kind !== 'end'; token = nextToken(scanner)) {
    if (token.kind === 'note' || token.kind === 'openString') return false
    if (token.kind === 'mark' && token.text === '\\') return false
    if (token.kind === 'mark') depth += token.text === '{' ? 1 : token.text === '}' ? -1 : 0
    if (depth < 0 || (depth === 0 && token.kind === 'mark' && token.text === ';')) return false
    const written = source.slice(token.start, token.end)
    // Of other blanks than those of nft readers may think otherwise.
    if (token.kind === 'word' && /\s/.test(written)) return false
    if (previous?.end === token.start) found[found.length - 1] += written
    else found.push(written)
    previous = token
  }
  return depth === 0 && found.length === words.length && found.every((word, index) => word === words[index])
}

/** Words of others, joined by blanks. Throws where they would not stay the same words. */
export function printWords(words: readonly string[]): string {
  if (!isKept(words)) invariant(false, `${JSON.stringify(words)} are no words of nftables`)
  return words.join(' ')
}
