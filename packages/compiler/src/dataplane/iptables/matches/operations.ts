import type { IpFamily } from '@kube-rules/types'
import type { Match } from '../ast.js'
import type { RuleFormat } from '../print/rule-format.js'
import { checkPlainWord } from '../quote.js'
import type { WordCursor } from '../words.js'

/** The functions that format and normalize one kind of match. */
export interface MatchPrinter<M extends Match> {
  /** Prints the words with one space between them. The style `save` requires the normal form. */
  readonly print: (match: M, style: RuleFormat, family: IpFamily) => string
  /** Formats the normal form like a listing (`iptables -L`). Absent for kinds that have their own column in the listing. */
  readonly list?: (match: M, context: ListingContext) => string
  /**
   * Returns the form of the match that the kernel stores. Returns undefined for a match that always succeeds and is not
   * stored.
   */
  readonly canonical: (match: M, family: IpFamily) => M | undefined
}

/** The function and the words for parsing one kind of match. */
export interface MatchParser<M extends Match> {
  /** The words that can start the match: an option (`-s`) or a module (`-m comment`). */
  readonly begins: readonly string[]
  /** The options of a module that have a value. */
  readonly valueOptions?: readonly string[]
  /**
   * Parses the words after the first word. Returns undefined if the words do not form a match of this kind; then the
   * position in `words` may have changed, and the caller stores the words as unknown.
   */
  readonly parse: (words: WordCursor, negated: boolean, family: IpFamily) => M | undefined
}

/** The context for listing a match. */
export interface ListingContext {
  readonly family: IpFamily
  /** Formats a port as the listing prints it for the protocol of the rule. */
  readonly formatPort: (port: number) => string
}

/** Prints an option with a word, which `!` may negate: `-i eth0`, `! -i eth0`. */
export function printOption(option: string, word: string, negated: boolean): string {
  return (negated ? `! ${option} ` : `${option} `) + checkPlainWord(word)
}

/** Returns the match unchanged, for kinds that the kernel stores unchanged. */
export function unchangedMatch<M extends Match>(match: M): M {
  return match
}
