import type { Claimant } from '@kube-rules/compiler/internal/plan/decide'
import type { Plan } from '@kube-rules/compiler/internal/plan/plan'

/** Returns a plan that contains only the frontend of the claimant, as if no other frontend claimed its address and port. */
export function createPlanOfClaimant(plan: Plan, { servicePort, frontend }: Claimant): Plan {
  const services = plan.services.filter(({ id }) => id === servicePort)
  return { ...plan, services: services.map((service) => ({ ...service, frontends: [frontend] })) }
}
