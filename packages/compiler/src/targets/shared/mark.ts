import type { MarkMatch, Match, Rule, Target } from '../../dataplane/iptables/ast.js'
import type { KernelSettings } from '../../plan/kernel-settings.js'
import type { PlanHeader } from '../../plan/plan.js'
import { createCommentMatch, createDestinationAddressMatch, createSourceAddressMatch } from './match.js'

export const POSTROUTING_CHAIN = 'KUBE-POSTROUTING'
export const MARK_MASQ_CHAIN = 'KUBE-MARK-MASQ'
export const FORWARD_CHAIN = 'KUBE-FORWARD'

/** The target of every rule that marks for masquerading. */
export const MARK_MASQ_TARGET: Target = { kind: 'jump', chain: MARK_MASQ_CHAIN }

/** Returns the rules of KUBE-POSTROUTING, which masquerade marked packets and clear the mark. */
export function createPostroutingRules(kernel: KernelSettings): readonly Rule[] {
  const { masqueradeMark, randomFully, features } = kernel
  if (!features.markClearedBeforeSnat) return [masqueradeMarkedRule(kernel)]
  return [
    { chain: POSTROUTING_CHAIN, matches: [markMatch(masqueradeMark, true)], target: { kind: 'return' } },
    { chain: POSTROUTING_CHAIN, matches: [], target: { kind: 'mark', operation: 'xor', value: masqueradeMark } },
    { chain: POSTROUTING_CHAIN, matches: [SNAT_COMMENT], target: { kind: 'masquerade', randomFully } },
  ]
}

const SNAT_COMMENT = createCommentMatch('kubernetes service traffic requiring SNAT')

/** Returns the only rule of KUBE-POSTROUTING up to 1.18.5. Unlike newer versions, it does not clear the mark. */
function masqueradeMarkedRule({ masqueradeMark, randomFully }: KernelSettings): Rule {
  const matches = [SNAT_COMMENT, markMatch(masqueradeMark, false)]
  return { chain: POSTROUTING_CHAIN, matches, target: { kind: 'masquerade', randomFully } }
}

/** Returns the rules of KUBE-MARK-MASQ, which set the masquerade mark. */
export function createMarkMasqRules({ masqueradeMark: value, features }: KernelSettings): readonly Rule[] {
  const target: Target = features.markClearedBeforeSnat
    ? { kind: 'mark', operation: 'or', value }
    : { kind: 'mark', operation: 'set-xmark', value, mask: value }
  return [{ chain: MARK_MASQ_CHAIN, matches: [], target }]
}

/** Returns the ACCEPT rules of KUBE-FORWARD, for marked packets and for tracked connections. */
export function createForwardAcceptRules(header: Pick<PlanHeader, 'kernel' | 'node'>): readonly Rule[] {
  const marked = [createCommentMatch('kubernetes forwarding rules'), markMatch(header.kernel.masqueradeMark, false)]
  return [
    { chain: FORWARD_CHAIN, matches: marked, target: { kind: 'accept' } },
    ...trackedConnectionMatches(header).map(
      (matches): Rule => ({ chain: FORWARD_CHAIN, matches, target: { kind: 'accept' } }),
    ),
  ]
}

function markMatch(value: number, negated: boolean): MarkMatch {
  return { kind: 'mark', value, mask: value, negated }
}

const TRACKED: Match = { kind: 'conntrack', states: ['RELATED', 'ESTABLISHED'], negated: false }

/**
 * Returns the matches of each KUBE-FORWARD rule for packets of tracked connections. From 1.23 on, there is only one
 * such rule.
 */
function trackedConnectionMatches({
  kernel: { features },
  node: { localTrafficDetection },
}: Pick<PlanHeader, 'kernel' | 'node'>): readonly (readonly Match[])[] {
  if (features.forwardingByOneRule) return [[createCommentMatch('kubernetes forwarding conntrack rule'), TRACKED]]
  const fromPods = createCommentMatch('kubernetes forwarding conntrack pod source rule')
  const toPods = createCommentMatch('kubernetes forwarding conntrack pod destination rule')
  if (!features.forwardingByPodNetwork)
    return [
      [fromPods, TRACKED],
      [toPods, TRACKED],
    ]
  if (localTrafficDetection?.kind !== 'cidr') return []
  const { text } = localTrafficDetection.cidr
  return [
    [createSourceAddressMatch(text), fromPods, TRACKED],
    [toPods, createDestinationAddressMatch(text), TRACKED],
  ]
}
