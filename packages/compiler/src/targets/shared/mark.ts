import type { Settings } from '../../configuration/settings.js'
import type { MarkMatch, Rule, Verdict } from '../../dataplane/iptables/ast.js'
import { comment } from './match.js'

export const POSTROUTING_CHAIN = 'KUBE-POSTROUTING'
export const MARK_MASQ_CHAIN = 'KUBE-MARK-MASQ'
export const FORWARD_CHAIN = 'KUBE-FORWARD'

/** The verdict of every rule that asks for masquerading. */
export const JUMP_TO_MARK_MASQ: Verdict = { kind: 'jump', chain: MARK_MASQ_CHAIN }

/** KUBE-POSTROUTING: masquerade what carries the mark, and take the mark away. */
export function postroutingRules(settings: Settings): readonly Rule[] {
  const value = settings.masqueradeMark
  return [
    { chain: POSTROUTING_CHAIN, matches: [markMatch(settings, true)], verdict: { kind: 'return' } },
    { chain: POSTROUTING_CHAIN, matches: [], verdict: { kind: 'mark', operation: 'xor', value } },
    {
      chain: POSTROUTING_CHAIN,
      matches: [comment('kubernetes service traffic requiring SNAT')],
      verdict: { kind: 'masquerade', randomFully: settings.randomFully },
    },
  ]
}

/** KUBE-MARK-MASQ: set the mark. */
export function markMasqRules(settings: Settings): readonly Rule[] {
  return [
    { chain: MARK_MASQ_CHAIN, matches: [], verdict: { kind: 'mark', operation: 'or', value: settings.masqueradeMark } },
  ]
}

/** The two ACCEPT rules of KUBE-FORWARD, for packets that carry the mark and for those of known connections. */
export function forwardAcceptRules(settings: Settings): readonly Rule[] {
  return [
    {
      chain: FORWARD_CHAIN,
      matches: [comment('kubernetes forwarding rules'), markMatch(settings, false)],
      verdict: { kind: 'accept' },
    },
    {
      chain: FORWARD_CHAIN,
      matches: [
        comment('kubernetes forwarding conntrack rule'),
        { kind: 'conntrack', states: ['RELATED', 'ESTABLISHED'], negated: false },
      ],
      verdict: { kind: 'accept' },
    },
  ]
}

function markMatch(settings: Settings, negated: boolean): MarkMatch {
  return { kind: 'mark', value: settings.masqueradeMark, mask: settings.masqueradeMark, negated }
}
