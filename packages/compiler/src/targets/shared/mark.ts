import type { MarkMatch, Rule, Target } from '../../dataplane/iptables/ast.js'
import type { KernelSettings } from '../../plan/kernel-settings.js'
import { comment } from './match.js'

export const POSTROUTING_CHAIN = 'KUBE-POSTROUTING'
export const MARK_MASQ_CHAIN = 'KUBE-MARK-MASQ'
export const FORWARD_CHAIN = 'KUBE-FORWARD'

/** The target of every rule that marks for masquerading. */
export const JUMP_TO_MARK_MASQ: Target = { kind: 'jump', chain: MARK_MASQ_CHAIN }

/** Returns the rules of KUBE-POSTROUTING, which masquerade marked packets and clear the mark. */
export function postroutingRules({ masqueradeMark, randomFully }: KernelSettings): readonly Rule[] {
  return [
    { chain: POSTROUTING_CHAIN, matches: [markMatch(masqueradeMark, true)], target: { kind: 'return' } },
    { chain: POSTROUTING_CHAIN, matches: [], target: { kind: 'mark', operation: 'xor', value: masqueradeMark } },
    {
      chain: POSTROUTING_CHAIN,
      matches: [comment('kubernetes service traffic requiring SNAT')],
      target: { kind: 'masquerade', randomFully },
    },
  ]
}

/** Returns the rules of KUBE-MARK-MASQ, which set the mark. */
export function markMasqRules({ masqueradeMark }: KernelSettings): readonly Rule[] {
  return [{ chain: MARK_MASQ_CHAIN, matches: [], target: { kind: 'mark', operation: 'or', value: masqueradeMark } }]
}

/** Returns the two ACCEPT rules of KUBE-FORWARD, for marked packets and for tracked connections. */
export function forwardAcceptRules({ masqueradeMark }: KernelSettings): readonly Rule[] {
  return [
    {
      chain: FORWARD_CHAIN,
      matches: [comment('kubernetes forwarding rules'), markMatch(masqueradeMark, false)],
      target: { kind: 'accept' },
    },
    {
      chain: FORWARD_CHAIN,
      matches: [
        comment('kubernetes forwarding conntrack rule'),
        { kind: 'conntrack', states: ['RELATED', 'ESTABLISHED'], negated: false },
      ],
      target: { kind: 'accept' },
    },
  ]
}

function markMatch(value: number, negated: boolean): MarkMatch {
  return { kind: 'mark', value, mask: value, negated }
}
