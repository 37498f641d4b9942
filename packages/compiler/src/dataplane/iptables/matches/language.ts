import type { IpFamily } from '@kube-rules/types'
import type { Fraction } from '../../../internal/fraction.js'
import type { Passage } from '../../netfilter/passage.js'
import type { Truth } from '../../netfilter/truth.js'
import type { Match, MatchKind } from '../ast.js'
import type { Style } from '../print/style.js'
import type { Words } from '../words.js'

/** Whether a match holds, or how likely it is. */
export type MatchResult = Truth | Fraction

/** How one kind of match is written, read, normalised and applied to packets. */
export interface MatchLanguage<M extends Match> {
  /**
   * What a match of this kind begins with: an option (`-s`) or a module (`-m comment`). Absent, like `parse`, for what
   * the rule parser reads by itself.
   */
  readonly begins?: readonly string[]
  /** Of a module, the options that take a value. */
  readonly valueOptions?: readonly string[]
  /** Its words with single blanks between them. The style `save` expects the normal form. */
  readonly print: (match: M, style: Style, family: IpFamily) => string
  /**
   * Reads what follows the beginning. Undefined where the words say something else, which the caller then keeps as
   * unknown; `words` may have been moved.
   */
  readonly parse?: (words: Words, negated: boolean, family: IpFamily) => M | undefined
  /** What the kernel keeps of it; undefined for a match that always holds and is not kept. */
  readonly canonical: (match: M, family: IpFamily) => M | undefined
  /** Whether it holds never depends on where a packet is sent to. Absent: it may. */
  readonly ignoresDestination?: true
  /** Whether it holds for the first packet of a connection. */
  readonly evaluate: (match: M, passage: Passage) => MatchResult
}

export type MatchOf<K extends MatchKind> = Extract<Match, { kind: K }>

/** For matches that the kernel keeps as they are. */
export function unchanged<M extends Match>(match: M): M {
  return match
}
