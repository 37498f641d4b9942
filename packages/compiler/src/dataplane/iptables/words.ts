import { isPlainWord, unquote } from './quote.js'

/** A cursor over the words of one rule, in their original notation. */
export interface WordCursor {
  readonly raw: readonly string[]
  at: number
}

/** Returns the next word in its original notation. Returns undefined at the end. */
export function peekWord(words: WordCursor): string | undefined {
  return words.raw[words.at]
}

/** Skips the next word if it is equal to `word`. Reports whether the word was skipped. */
export function skipWord(words: WordCursor, word: string): boolean {
  if (words.raw[words.at] !== word) return false
  words.at++
  return true
}

/** Consumes the next word and returns it without quotes. Returns undefined at the end. */
export function consumeText(words: WordCursor): string | undefined {
  const word = words.raw[words.at]
  if (word === undefined) return undefined
  words.at++
  return unquote(word)
}

/**
 * Consumes the next word like `consumeText`. Returns undefined if the word has quotes or spaces, because such a word is
 * neither a name nor an address.
 */
export function consumeWord(words: WordCursor): string | undefined {
  const text = consumeText(words)
  return text === undefined || text === words.raw[words.at - 1] || isPlainWord(text) ? text : undefined
}

/**
 * Consumes the next word as an integer (decimal, `0x` or octal, like `strtoul`). The integer must not be greater than
 * `max`.
 */
export function consumeNumber(words: WordCursor, max: number): number | undefined {
  return parseNumber(consumeText(words), max)
}

export function parseNumber(text: string | undefined, max: number): number | undefined {
  if (text === undefined) return undefined
  const number = /^0[0-7]+$/.test(text)
    ? Number.parseInt(text, 8)
    : /^(?:0x[0-9a-f]+|0|[1-9]\d*)$/i.test(text)
      ? Number(text)
      : -1
  return number >= 0 && number <= max ? number : undefined
}
