import type { IpFamily } from '@kube-rules/types'
import type { Verdict, VerdictKind } from '../ast.js'
import type { Style } from '../style.js'
import type { Words } from '../words.js'

/** How one kind of verdict is written, read and normalised. */
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
}

export type VerdictOf<K extends VerdictKind> = Extract<Verdict, { kind: K }>

/** For verdicts that the kernel keeps as they are. */
export function unchanged<V extends Verdict>(verdict: V): V {
  return verdict
}
