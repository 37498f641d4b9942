import type { IpFamily } from '@kube-rules/types'
import type { KernelPacket } from '../../netfilter/kernel-packet.js'
import type { TranslatedAddress } from '../../netfilter/path-state.js'
import type { Target, TargetKind } from '../ast.js'
import type { RuleFormat } from '../print/rule-format.js'
import type { WordCursor } from '../words.js'

/** The effect on a packet that matches a rule. */
export type TargetEffect =
  /** The packet continues at the next rule. */
  | { readonly kind: 'continue'; readonly packet: KernelPacket }
  /** The packet leaves the table. */
  | { readonly kind: 'accept'; readonly packet: KernelPacket }
  | { readonly kind: 'drop' }
  | { readonly kind: 'reject'; readonly with: string }
  | { readonly kind: 'return' }
  | { readonly kind: 'jump'; readonly chain: string }
  | { readonly kind: 'goto'; readonly chain: string }
  | { readonly kind: 'unknown'; readonly reason: string }

/** Formatting, parsing, normalization and evaluation of one kind of target. */
export interface TargetOperations<V extends Target> {
  /**
   * The first words of the target (`-j ACCEPT`). Absent, like `parse`, for kinds that the rule parser handles itself.
   */
  readonly begins?: readonly string[]
  /** Formats it with single blanks between words. The style `save` requires the normal form. */
  readonly print: (target: V, style: RuleFormat) => string
  /** Formats the options of the normal form as a listing does. Absent: none. */
  readonly list?: (target: V) => string
  /**
   * Parses the words after the first. Returns undefined if they do not fit; the caller then stores them as unknown. The
   * position in `words` may have changed.
   */
  readonly parse?: (words: WordCursor, family: IpFamily) => V | undefined
  /** Returns the form that the kernel stores. */
  readonly canonical: (target: V, family: IpFamily) => V
  readonly evaluate: (target: V, packet: KernelPacket) => TargetEffect
  /** The changed address of packets. Absent: neither destination nor source. */
  readonly changes?: TranslatedAddress | undefined
}

export type TargetOf<K extends TargetKind> = Extract<Target, { kind: K }>

/** Returns a target that the kernel stores unchanged. */
export function identity<V extends Target>(target: V): V {
  return target
}
