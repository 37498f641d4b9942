import { decide, isNodeAddress } from '@kube-rules/compiler/internal/plan/decide'
import type { Plan } from '@kube-rules/compiler/internal/plan/plan'
import type { Packet } from '@kube-rules/types'
import { DECISION_LABELS } from '../../plan/format-decision.js'
import { findExternalIPs, removeFrontends } from '../../plan/remove-frontends.js'

/**
 * Computes the outcome of a packet in userspace mode, with all limitations of the mode. Returns sorted lines in the
 * notation of `formatEnds`.
 *
 * The plan decides, except for packets to an external IP that come from the node, or from a pod through a bridge. No rule
 * of an external IP matches these packets. Whether a packet comes through a bridge is unknown, so both outcomes are
 * possible.
 */
export function computeUserspaceOutcome(plan: Plan, packet: Packet): readonly string[] {
  const decision = decide(plan, packet)
  const { origin, source, destination } = packet
  const matched = formatDecisionKind(plan, packet)
  if (origin === 'outside' || isNodeAddress(plan.node, destination)) return [matched]
  if (!('frontend' in decision) || decision.frontend.kind !== 'externalIP') return [matched]
  const unmatched = formatDecisionKind(removeFrontends(plan, findExternalIPs(plan, packet)), packet)
  const mayMatch = origin === 'pod' && !isNodeAddress(plan.node, source)
  return mayMatch ? [...new Set([matched, unmatched])].sort() : [unmatched]
}

function formatDecisionKind(plan: Plan, packet: Packet): string {
  const { kind } = decide(plan, packet)
  return kind === 'endpoints' ? kind : DECISION_LABELS[kind]
}
