import type { UnknownVerdict } from '../ast.js'
import { rawWords } from '../quote.js'
import { unchanged, type VerdictLanguage } from './language.js'

/** The targets after which a packet goes on with nothing changed that other rules of ours look at. */
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

/** A target that no other kind reads; the rule parser collects its words. */
export const unknown: VerdictLanguage<UnknownVerdict> = {
  print: (verdict) => rawWords(verdict.words),
  canonical: unchanged,
  evaluate: ({ words }, packet) =>
    PASSED.has(words[1] ?? '')
      ? { kind: 'continue', packet }
      : { kind: 'unknown', reason: `what ${rawWords(words)} does is not known` },
}
