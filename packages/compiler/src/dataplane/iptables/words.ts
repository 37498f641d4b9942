import { isPlainWord, unquote } from './quote.js'

/** A cursor over the words of one rule, each in the spelling in which it was written. */
export interface Words {
  readonly raw: readonly string[]
  at: number
}

/** The next word as written; undefined at the end. */
export function peekWord(words: Words): string | undefined {
  return words.raw[words.at]
}

/** Moves behind the next word if it is `word`, and says so. */
export function skipWord(words: Words, word: string): boolean {
  if (words.raw[words.at] !== word) return false
  words.at++
  return true
}

/** The text of the next word, quotes removed; undefined at the end. */
export function takeText(words: Words): string | undefined {
  const word = words.raw[words.at]
  if (word === undefined) return undefined
  words.at++
  return unquote(word)
}

/** Like `takeText`, but undefined for a text that is not one plain word and so cannot be a name or an address. */
export function takeWord(words: Words): string | undefined {
  const text = takeText(words)
  return text === undefined || text === words.raw[words.at - 1] || isPlainWord(text) ? text : undefined
}

/** The whole number that the next word spells (decimal, `0x` or octal, as `strtoul` reads it), if at most `max`. */
export function takeNumber(words: Words, max: number): number | undefined {
  return readNumber(takeText(words), max)
}

export function readNumber(text: string | undefined, max: number): number | undefined {
  if (text === undefined) return undefined
  const number = /^0[0-7]+$/.test(text)
    ? Number.parseInt(text, 8)
    : /^(?:0x[0-9a-f]+|0|[1-9]\d*)$/i.test(text)
      ? Number(text)
      : -1
  return number >= 0 && number <= max ? number : undefined
}
