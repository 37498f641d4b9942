import { invariant } from '../../internal/invariant.js'
import { utf8Length } from '../../internal/utf8.js'

/** A word of a line with the column, from 1, at which it begins. */
export interface Word {
  readonly text: string
  readonly column: number
}

/** ipset reads lines in pieces of 1023 bytes, and takes each further piece for a line of its own. */
const MAX_LINE_BYTES = 1022

const NAME_BYTES = 31

/** Control characters and line separators: ipset has no way to write them. */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}]/u

/** Whether `name` can be a set's name: one word of 1 to 31 bytes without quotes that is no option. */
export function isSetName(name: string): boolean {
  return isBareWord(name) && !name.startsWith('-') && utf8Length(name) <= NAME_BYTES
}

/** Whether ipset can read and print a line of this length. */
export function fitsLine(line: string): boolean {
  // There are very many, and few that may be long.
  return line.length * 3 <= MAX_LINE_BYTES || utf8Length(line) <= MAX_LINE_BYTES
}

/** Whether ipset can be given the word, in quotes where it needs them. */
export function isSayable(word: string): boolean {
  return word !== '' && !word.includes('"') && !UNPRINTABLE.test(word)
}

function isBareWord(text: string): boolean {
  return /^[^\s"]+$/.test(text) && !UNPRINTABLE.test(text)
}

/** One word, in double quotes where it has to be. A quote within is refused: ipset cannot escape it. */
export function printWord(text: string): string {
  return isBareWord(text) ? text : quoteWord(text)
}

/** The options of an entry. The text of a comment is always quoted, as `ipset save` does. */
export function printEntryOptions(options: readonly string[]): string[] {
  let isComment = false
  return options.map((option) => {
    const word = isComment ? quoteWord(option) : printWord(option)
    isComment = !isComment && option === 'comment'
    return word
  })
}

function quoteWord(text: string): string {
  invariant(isSayable(text), `ipset cannot be given ${JSON.stringify(text)}`)
  return `"${text}"`
}

/** A line of words that are printed already, without its end. Throws where it is too long. */
export function printLine(line: string): string {
  if (!fitsLine(line)) invariant(false, `ipset cannot read a line as long as ${line.slice(0, 60)}…`)
  return line
}

/** The words of a line: blanks divide them, double quotes hold them together; undefined when a quote is misplaced. */
export function splitWords(line: string): readonly Word[] | undefined {
  const words: Word[] = []
  for (const match of line.matchAll(/"([^"]*)"(?=\s|$)|\S+/g)) {
    const text = match[1] ?? match[0]
    if (text.includes('"')) return undefined
    words.push({ text, column: match.index + 1 })
  }
  return words
}
