import type { KernelPacket } from '../../netfilter/kernel-packet.js'
import { type Effect, type TargetLanguage, type TargetOf, unchanged } from './language.js'

/** `-j ACCEPT`. */
export const accept: TargetLanguage<TargetOf<'accept'>> = finalTarget({ kind: 'accept' }, '-j ACCEPT', (packet) => ({
  kind: 'accept',
  packet,
}))

/** `-j DROP`. */
export const drop: TargetLanguage<TargetOf<'drop'>> = finalTarget({ kind: 'drop' }, '-j DROP', () => ({
  kind: 'drop',
}))

/** `-j RETURN`. */
export const returnTarget: TargetLanguage<TargetOf<'return'>> = finalTarget({ kind: 'return' }, '-j RETURN', () => ({
  kind: 'return',
}))

function finalTarget<V extends TargetOf<'accept' | 'drop' | 'return'>>(
  target: V,
  text: string,
  effect: (packet: KernelPacket) => Effect,
): TargetLanguage<V> {
  return {
    begins: [text],
    print: () => text,
    parse: () => target,
    canonical: unchanged,
    evaluate: (_, packet) => effect(packet),
  }
}
