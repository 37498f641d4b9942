import { decide, findClaimants } from '@kube-rules/compiler/internal/plan/decide'
import type { Plan } from '@kube-rules/compiler/internal/plan/plan'
import type { Packet } from '@kube-rules/types'
import { isLoopback } from '@kube-rules/types/internal/ip'
import { DECISION_LABELS } from '../../plan/format-decision.js'

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
  if (origin === 'outside' || isOfNode(plan, destination)) return [textOf(plan, packet)]
  if (!('frontend' in decision) || decision.frontend.kind !== 'externalIP') return [textOf(plan, packet)]
  const external = new Set(
    findClaimants(plan, packet).flatMap(({ frontend }) => (frontend.kind === 'externalIP' ? frontend : [])),
  )
  const services = plan.services.map((service) => ({
    ...service,
    frontends: service.frontends.filter((each) => !external.has(each)),
  }))
  const beside = textOf({ ...plan, services }, packet)
  const isMatched = origin === 'pod' && !isOfNode(plan, source)
  return isMatched ? [...new Set([textOf(plan, packet), beside])].sort() : [beside]
}

function textOf(plan: Plan, packet: Packet): string {
  const { kind } = decide(plan, packet)
  return kind === 'endpoints' ? kind : DECISION_LABELS[kind]
}

function isOfNode({ node }: Plan, address: string): boolean {
  return isLoopback(address) || node.addresses.some((own) => own.address === address)
}
