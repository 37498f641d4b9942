import type { KernelPacket } from '../../netfilter/kernel-packet.js'
import { type Effect, unchanged, type VerdictLanguage, type VerdictOf } from './language.js'

/** `-j ACCEPT`. */
export const accept: VerdictLanguage<VerdictOf<'accept'>> = finalVerdict({ kind: 'accept' }, '-j ACCEPT', (packet) => ({
  kind: 'accept',
  packet,
}))

/** `-j DROP`. */
export const drop: VerdictLanguage<VerdictOf<'drop'>> = finalVerdict({ kind: 'drop' }, '-j DROP', () => ({
  kind: 'drop',
}))

/** `-j RETURN`. */
export const returnVerdict: VerdictLanguage<VerdictOf<'return'>> = finalVerdict(
  { kind: 'return' },
  '-j RETURN',
  () => ({ kind: 'return' }),
)

function finalVerdict<V extends VerdictOf<'accept' | 'drop' | 'return'>>(
  verdict: V,
  text: string,
  effect: (packet: KernelPacket) => Effect,
): VerdictLanguage<V> {
  return {
    begins: [text],
    print: () => text,
    parse: () => verdict,
    canonical: unchanged,
    evaluate: (_, packet) => effect(packet),
  }
}
