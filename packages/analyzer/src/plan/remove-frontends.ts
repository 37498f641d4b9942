import { findClaimants } from '@kube-rules/compiler/internal/plan/decide'
import type { Frontend, Plan } from '@kube-rules/compiler/internal/plan/plan'
import type { Packet } from '@kube-rules/types'

/** Returns the plan without these frontends. */
export function removeFrontends(plan: Plan, removed: readonly Frontend[]): Plan {
  const set = new Set(removed)
  const services = plan.services.map((service) => ({
    ...service,
    frontends: service.frontends.filter((each) => !set.has(each)),
  }))
  return { ...plan, services }
}

/** Returns the frontends of external IPs that claim the destination of a packet. */
export function findExternalIPs(plan: Plan, packet: Packet): readonly Frontend[] {
  return findClaimants(plan, packet).flatMap(({ frontend }) => (frontend.kind === 'externalIP' ? frontend : []))
}
