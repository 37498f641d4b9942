import type { KernelPacket } from '../../netfilter/kernel-packet.js'
import { identity, type TargetEffect, type TargetOf, type TargetOperations } from './operations.js'

/** `-j ACCEPT`. */
export const accept: TargetOperations<TargetOf<'accept'>> = finalTarget({ kind: 'accept' }, '-j ACCEPT', (packet) => ({
  kind: 'accept',
  packet,
}))

/** `-j DROP`. */
export const drop: TargetOperations<TargetOf<'drop'>> = finalTarget({ kind: 'drop' }, '-j DROP', () => ({
  kind: 'drop',
}))

/** `-j RETURN`. */
export const returnTarget: TargetOperations<TargetOf<'return'>> = finalTarget({ kind: 'return' }, '-j RETURN', () => ({
  kind: 'return',
}))

function finalTarget<V extends TargetOf<'accept' | 'drop' | 'return'>>(
  target: V,
  text: string,
  effect: (packet: KernelPacket) => TargetEffect,
): TargetOperations<V> {
  return {
    begins: [text],
    print: () => text,
    parse: () => target,
    canonical: identity,
    evaluate: (_, packet) => effect(packet),
  }
}
