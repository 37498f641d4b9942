import { invariant } from '../../internal/invariant.js'
import type { RuleFormat } from './print/rule-format.js'

/** Matches text that is one word without quotes: no spaces, quotes or control characters. */
const PLAIN_WORD = /^[!#-~\u0080-\uffff]+$/

/** Matches text that needs no escapes between quotes: no quotes, backslashes or control characters. */
const PLAIN_TEXT = /^[ !#-[\]-~\u0080-\uffff]*$/

/** Matches text that the tools can represent: no control characters except tabs. */
const PRINTABLE = /^[\t -~\u0080-\uffff]*$/

/** Returns `word` unchanged. Throws if `word` is not one word without quotes. */
export function checkPlainWord(word: string): string {
  return isPlainWord(word) ? word : throwUnprintable(word, 'one word')
}

export function isPlainWord(word: string): boolean {
  return PLAIN_WORD.test(word)
}

/** Returns `text` unchanged, for output without quotes. Throws if the text has control characters other than tabs. */
export function checkPlainText(text: string): string {
  return isPrintableText(text) ? text : throwUnprintable(text, 'one line')
}

function isPrintableText(text: string): boolean {
  return PRINTABLE.test(text)
}

/** Joins words with one space between them. Throws if an item, including its quotes, is not one word. */
export function joinRawWords(words: readonly string[]): string {
  return words.map((word) => (isRawWord(word) ? word : throwUnprintable(word, 'one word'))).join(' ')
}

/** Reports whether `word` is one raw word. A raw word has no quotes, or has one quoted part at its end. */
function isRawWord(word: string): boolean {
  return isPlainWord(word) || (isPrintableText(word) && /^[^ \t"]*"(?:[^"\\]|\\.)*"$/s.test(word))
}

/** Formats free text, such as a comment, as one word. Throws if the text has control characters other than tabs. */
export function quoteText(text: string, style: RuleFormat): string {
  return isBare(text, style) ? text : `"${escapeText(text, style)}"`
}

/**
 * Reports whether a comment needs no quotes. kube-proxy quotes comments that contain spaces. iptables-save quotes every
 * comment that contains a character other than letters, digits, `_` and `-`.
 */
function isBare(text: string, style: RuleFormat): boolean {
  return style === 'restore' ? PLAIN_WORD.test(text) : /^[\w-]+$/.test(text)
}

/** Escapes a comment. Mirrors `xtables_save_string` of iptables 1.8. iptables-save also escapes single quotes. */
function escapeText(text: string, style: RuleFormat): string {
  if (PLAIN_TEXT.test(text) && (style === 'restore' || !text.includes("'"))) return text
  if (!isPrintableText(text)) throwUnprintable(text, 'a quoted text')
  return text.replace(style === 'restore' ? /["\\]/g : /["'\\]/g, '\\$&')
}

function throwUnprintable(text: string, as: string): never {
  invariant(false, `${JSON.stringify(text)} cannot be written as ${as}`)
}

/** Returns a raw word without its quotes and escapes. A backslash is special only within quotes. */
export function unquote(word: string): string {
  const open = word.indexOf('"')
  if (open < 0) return word
  return word.slice(0, open) + word.slice(open + 1, -1).replace(/\\(.)/gs, '$1')
}
