import type { Match } from '../../dataplane/iptables/ast.js'
import type { PlanHeader } from '../../plan/plan.js'
import { commentMatch, destinationAddressMatch, sourceAddressMatch } from './match.js'

const TRACKED: Match = { kind: 'conntrack', states: ['RELATED', 'ESTABLISHED'], negated: false }

/** Returns the matches of each rule of KUBE-FORWARD for packets of tracked connections: one rule from 1.23 on. */
export function trackedConnectionMatches({
  kernel: { features },
  node: { localTrafficDetection },
}: Pick<PlanHeader, 'kernel' | 'node'>): readonly (readonly Match[])[] {
  if (features.forwardingByOneRule) return [[commentMatch('kubernetes forwarding conntrack rule'), TRACKED]]
  const fromPods = commentMatch('kubernetes forwarding conntrack pod source rule')
  const toPods = commentMatch('kubernetes forwarding conntrack pod destination rule')
  if (!features.forwardingByPodNetwork)
    return [
      [fromPods, TRACKED],
      [toPods, TRACKED],
    ]
  if (localTrafficDetection?.kind !== 'cidr') return []
  const { text } = localTrafficDetection.cidr
  return [
    [sourceAddressMatch(text), fromPods, TRACKED],
    [toPods, destinationAddressMatch(text), TRACKED],
  ]
}
