import { invariant } from '../../internal/invariant.js'
import type { Style } from './print/style.js'

/** What is read as one word, itself, where it stands bare: no blanks, quotes or control characters. */
const PLAIN_WORD = /^[!#-~\u0080-\uffff]+$/

/** What can stand between quotes as it is: no quotes, backslashes or control characters. */
const PLAIN_TEXT = /^[ !#-[\]-~\u0080-\uffff]*$/

/** What the tools can write at all: no control characters but tabs. */
const PRINTABLE = /^[\t -~\u0080-\uffff]*$/

/** `word` itself. Throws if it is not one word where it stands bare. */
export function plainWord(word: string): string {
  return isPlainWord(word) ? word : refuse(word, 'one word')
}

export function isPlainWord(word: string): boolean {
  return PLAIN_WORD.test(word)
}

export function isPrintable(text: string): boolean {
  return PRINTABLE.test(text)
}

/** The words with single blanks between them. Throws if one of them, quotes included, is not one word. */
export function rawWords(words: readonly string[]): string {
  return words.map((word) => (isRawWord(word) ? word : refuse(word, 'one word'))).join(' ')
}

/** Whether `word` is one word as it stands: bare, or closed by its only closing quote. */
function isRawWord(word: string): boolean {
  return isPlainWord(word) || (isPrintable(word) && /^[^ \t"]*"(?:[^"\\]|\\.)*"$/s.test(word))
}

/** A free text, such as a comment, as one word. Throws if it has control characters other than tabs. */
export function quoteText(text: string, style: Style): string {
  return isBare(text, style) ? text : `"${escapeText(text, style)}"`
}

/** kube-proxy writes a comment bare if it has no blanks; iptables-save only if it is made of these characters. */
function isBare(text: string, style: Style): boolean {
  return style === 'restore' ? PLAIN_WORD.test(text) : /^[\w-]+$/.test(text)
}

/** Mirrors `xtables_save_string` of iptables 1.8, which also escapes single quotes. */
function escapeText(text: string, style: Style): string {
  if (PLAIN_TEXT.test(text) && (style === 'restore' || !text.includes("'"))) return text
  if (!isPrintable(text)) refuse(text, 'a quoted text')
  return text.replace(style === 'restore' ? /["\\]/g : /["'\\]/g, '\\$&')
}

function refuse(text: string, as: string): never {
  invariant(false, `${JSON.stringify(text)} cannot be written as ${as}`)
}

/** The text a raw word stands for: a backslash counts only within quotes. */
export function unquote(word: string): string {
  const open = word.indexOf('"')
  if (open < 0) return word
  return word.slice(0, open) + word.slice(open + 1, -1).replace(/\\(.)/gs, '$1')
}
