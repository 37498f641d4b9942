import { invariant } from '../../internal/invariant.js'
import { exceedsUtf8Length } from '../../internal/utf8.js'

/** A word of a line with its column; the first column is 1. */
export interface WordWithColumn {
  readonly text: string
  readonly column: number
}

/**
 * The maximum number of bytes in a line. ipset reads lines in pieces of 1023 bytes and treats each further piece as a
 * separate line.
 */
const MAX_LINE_BYTES = 1022

const NAME_BYTES = 31

/** Control characters and line separators. ipset has no notation for these characters. */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}]/u

/**
 * Reports whether `name` is a valid set name. A valid name is one word of 1 to 31 bytes without quotes, and is not an
 * option.
 */
export function isValidSetName(name: string): boolean {
  return isBareWord(name) && !name.startsWith('-') && !exceedsUtf8Length(name, NAME_BYTES)
}

/** Reports whether ipset can read and print a line of this length. */
export function fitsLineLimit(line: string): boolean {
  return !exceedsUtf8Length(line, MAX_LINE_BYTES)
}

/** Reports whether a word can be passed to ipset, in quotes if needed. */
export function isPrintableWord(word: string): boolean {
  return word !== '' && !word.includes('"') && !UNPRINTABLE.test(word)
}

function isBareWord(text: string): boolean {
  return /^[^\s"]+$/.test(text) && !UNPRINTABLE.test(text)
}

/**
 * Formats one word, in double quotes if needed. Throws if the word contains a quote, because ipset cannot escape
 * quotes.
 */
export function printWord(text: string): string {
  return isBareWord(text) ? text : quoteWord(text)
}

/** Formats the options of an entry. The text of a comment is always quoted, like in `ipset save`. */
export function printEntryOptions(options: readonly string[]): string[] {
  let isComment = false
  return options.map((option) => {
    const word = isComment ? quoteWord(option) : printWord(option)
    isComment = !isComment && option === 'comment'
    return word
  })
}

function quoteWord(text: string): string {
  invariant(isPrintableWord(text), `ipset does not accept ${JSON.stringify(text)}`)
  return `"${text}"`
}

/** Returns `line` unchanged. Throws if the line is too long for ipset. */
export function checkLineLength(line: string): string {
  if (!fitsLineLimit(line)) invariant(false, `ipset cannot read a line as long as ${line.slice(0, 60)}…`)
  return line
}

/**
 * Splits a line into words at white space. A word in double quotes may contain spaces. Returns undefined if a quote is
 * misplaced.
 */
export function splitWords(line: string): readonly WordWithColumn[] | undefined {
  const words: WordWithColumn[] = []
  for (const match of line.matchAll(/"([^"]*)"(?=\s|$)|\S+/g)) {
    const text = match[1] ?? match[0]
    if (text.includes('"')) return undefined
    words.push({ text, column: match.index + 1 })
  }
  return words
}
