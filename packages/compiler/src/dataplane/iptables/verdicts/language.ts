import type { IpFamily } from '@kube-rules/types'
import type { ChangedByStep } from '../../netfilter/branch.js'
import type { KernelPacket } from '../../netfilter/kernel-packet.js'
import type { Verdict, VerdictKind } from '../ast.js'
import type { Style } from '../print/style.js'
import type { Words } from '../words.js'

/** What becomes of a packet to which a rule applies. */
export type Effect =
  /** It goes on to the next rule. */
  | { readonly kind: 'continue'; readonly packet: KernelPacket }
  /** It leaves the table. */
  | { readonly kind: 'accept'; readonly packet: KernelPacket }
  | { readonly kind: 'drop' }
  | { readonly kind: 'reject'; readonly with: string }
  | { readonly kind: 'return' }
  | { readonly kind: 'jump'; readonly chain: string }
  | { readonly kind: 'goto'; readonly chain: string }
  | { readonly kind: 'unknown'; readonly reason: string }

/** How one kind of verdict is written, read, normalised and applied to packets. */
export interface VerdictLanguage<V extends Verdict> {
  /** The targets it begins with (`-j ACCEPT`). Absent, like `parse`, for what the rule parser reads by itself. */
  readonly begins?: readonly string[]
  /** Its words with single blanks between them. The style `save` expects the normal form. */
  readonly print: (verdict: V, style: Style) => string
  /**
   * Reads what follows the beginning. Undefined where the words say something else, which the caller then keeps as
   * unknown; `words` may have been moved.
   */
  readonly parse?: (words: Words, family: IpFamily) => V | undefined
  /** What the kernel keeps of it. */
  readonly canonical: (verdict: V, family: IpFamily) => V
  readonly evaluate: (verdict: V, packet: KernelPacket) => Effect
  /** What it changes of packets. Absent: neither where they go to nor where they come from. */
  readonly changes?: ChangedByStep | undefined
}

export type VerdictOf<K extends VerdictKind> = Extract<Verdict, { kind: K }>

/** For verdicts that the kernel keeps as they are. */
export function unchanged<V extends Verdict>(verdict: V): V {
  return verdict
}
