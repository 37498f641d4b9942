import type { Scanner } from '@kube-rules/compiler/internal/dataplane/nftables/parse/scanner'
import { consumeEntry, consumeFlags, consumeInteger, consumeText, consumeWord, skipWord } from '../parse/tokens.js'

/** Skips a part of a statement. Returns false if the part is incomplete; the cursor is then anywhere. */
export type Skip = (scanner: Scanner) => boolean

/** The parts that follow words. */
type Parts = Readonly<Record<string, Skip>>

export const skipNothing: Skip = () => true
export const skipAnyWord: Skip = (scanner) => consumeWord(scanner) !== undefined
/** Skips a word or a quoted string. */
export const skipText: Skip = (scanner) => consumeText(scanner) !== undefined
export const skipInteger: Skip = (scanner) => consumeInteger(scanner) !== undefined
export const skipFlags: Skip = (scanner) => consumeFlags(scanner) !== undefined

/** Skips one of several words. */
export function skipOneOf(...words: readonly string[]): Skip {
  return (scanner) => words.some((word) => skipWord(scanner, word))
}

/** Skips several parts. */
export function skipAll(...parts: readonly Skip[]): Skip {
  return (scanner) => parts.every((skip) => skip(scanner))
}

/** Skips one of several words with the part that follows it. */
export function skipEntry(parts: Parts): Skip {
  const byWord = new Map(Object.entries(parts))
  return (scanner) => consumeEntry(scanner, byWord)?.(scanner) === true
}

/** Skips words with the parts that follow them, in any order, as often as such a word is next. */
export function skipOptions(parts: Parts): Skip {
  const byWord = new Map(Object.entries(parts))
  return (scanner) => {
    for (let skip = consumeEntry(scanner, byWord); skip !== undefined; skip = consumeEntry(scanner, byWord)) {
      if (!skip(scanner)) return false
    }
    return true
  }
}
