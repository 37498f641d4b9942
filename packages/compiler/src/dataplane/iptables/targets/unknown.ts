import type { KernelPacket } from '../../netfilter/kernel-packet.js'
import type { UnknownTarget } from '../ast.js'
import { joinRawWords } from '../quote.js'
import { type TargetEffect, type TargetPrinter, unchangedTarget } from './operations.js'

/**
 * The targets without an effect on kube-proxy rules: the packet continues at the next rule, and no field that
 * kube-proxy rules match on changes.
 */
const PASSED: ReadonlySet<string> = new Set([
  'AUDIT',
  'CHECKSUM',
  'CLASSIFY',
  'DSCP',
  'ECN',
  'HL',
  'IDLETIMER',
  'LED',
  'LOG',
  'NFLOG',
  'RATEEST',
  'SECMARK',
  'TCPMSS',
  'TCPOPTSTRIP',
  'TOS',
  'TRACE',
  'TTL',
  'ULOG',
])

/** A target that fits no other kind. The rule parser stores the words of the target. */
export const unknownTargetPrinter: TargetPrinter<UnknownTarget> = {
  print: (target) => joinRawWords(target.words),
  list: (target) => joinRawWords(target.words.slice(2)),
  canonical: unchangedTarget,
}

export function evaluateUnknownTarget({ words }: UnknownTarget, packet: KernelPacket): TargetEffect {
  return PASSED.has(words[1] ?? '')
    ? { kind: 'continue', packet }
    : { kind: 'unknown', reason: `the effect of ${joinRawWords(words)} is unknown` }
}
