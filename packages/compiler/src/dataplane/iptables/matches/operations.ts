import type { IpFamily } from '@kube-rules/types'
import type { Fraction } from '../../../internal/fraction.js'
import type { HookPacket } from '../../netfilter/hook-packet.js'
import type { Ternary } from '../../netfilter/ternary.js'
import type { Match, MatchKind } from '../ast.js'
import type { RuleFormat } from '../print/rule-format.js'
import type { WordCursor } from '../words.js'

/** The result of a match, or its probability. */
export type MatchResult = Ternary | Fraction

/** Formatting and normalization of one kind of match. */
export interface MatchPrinter<M extends Match> {
  /** Formats it with single blanks between words. The style `save` requires the normal form. */
  readonly print: (match: M, style: RuleFormat, family: IpFamily) => string
  /** Formats the normal form as a listing does; absent for kinds that have a column of their own. */
  readonly list?: (match: M, context: ListingContext) => string
  /** Returns the form that the kernel stores; undefined for a match that always succeeds and is not stored. */
  readonly canonical: (match: M, family: IpFamily) => M | undefined
}

/** Parsing of one kind of match. */
export interface MatchParser<M extends Match> {
  /** The first word of the match: an option (`-s`) or a module (`-m comment`). */
  readonly begins: readonly string[]
  /** The options of a module that have a value. */
  readonly valueOptions?: readonly string[]
  /**
   * Parses the words after the first. Returns undefined if they do not fit; the caller then stores them as unknown. The
   * position in `words` may have changed.
   */
  readonly parse: (words: WordCursor, negated: boolean, family: IpFamily) => M | undefined
}

/** Evaluation of one kind of match. */
export interface MatchEvaluator<M extends Match> {
  /** Whether the result never depends on the destination of a packet, for all matches or for some. Absent: it may. */
  readonly ignoresDestination?: true | ((match: M) => boolean)
  /** Evaluates the match for the first packet of a connection. */
  readonly evaluate: (match: M, passage: HookPacket) => MatchResult
}

/** The context for listing a match. */
export interface ListingContext {
  readonly family: IpFamily
  /** Formats a port of the protocol of the rule. */
  readonly formatPort: (port: number) => string
}

export type MatchOf<K extends MatchKind> = Extract<Match, { kind: K }>

/** Returns a match that the kernel stores unchanged. */
export function identity<M extends Match>(match: M): M {
  return match
}
