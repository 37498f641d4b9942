import { type Claimant, findClaimants } from '@kube-rules/compiler/internal/plan/decide'
import type { Frontend, Plan } from '@kube-rules/compiler/internal/plan/plan'
import type { Packet } from '@kube-rules/types'

/**
 * Returns the plan without the frontends that claim the destination of a packet, except for the frontend of one
 * claimant.
 */
export function removeOtherClaimants(plan: Plan, claimants: readonly Claimant[], { frontend }: Claimant): Plan {
  return removeFrontends(
    plan,
    claimants.map((each) => each.frontend).filter((each) => each !== frontend),
  )
}

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
