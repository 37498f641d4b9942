import type { Claimant } from '@kube-rules/compiler/internal/plan/decide'
import type { Plan } from '@kube-rules/compiler/internal/plan/plan'

/** Returns a plan that contains only the frontend of the claimant, as if no other frontend claimed its address and port. */
export function createPlanOfClaimant(plan: Plan, { servicePort, frontend }: Claimant): Plan {
  const services = plan.services.filter(({ id }) => id === servicePort)
  return { ...plan, services: services.map((service) => ({ ...service, frontends: [frontend] })) }
}

/**
 * Returns the plan without the frontends that claim the destination of a packet, except for the frontend of one
 * claimant.
 */
export function removeOtherClaimants(plan: Plan, claimants: readonly Claimant[], { frontend }: Claimant): Plan {
  const removed = new Set(claimants.map((each) => each.frontend).filter((each) => each !== frontend))
  const services = plan.services.map((service) => ({
    ...service,
    frontends: service.frontends.filter((each) => !removed.has(each)),
  }))
  return { ...plan, services }
}
