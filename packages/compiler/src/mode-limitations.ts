import type { Diagnostic } from '@kube-rules/types'
import type { Plan, ServicePlan } from './plan/plan.js'
import type { Limitation, Target } from './targets/target.js'

/** An `info` for everything that a mode does otherwise than the plan says, service port by service port. */
export function findModeLimitations(target: Pick<Target<never>, 'limitationsOf'>, plan: Plan): readonly Diagnostic[] {
  return plan.services.flatMap((service) =>
    target.limitationsOf(service, plan).map((limitation) => modeLimitation(service, plan, limitation)),
  )
}

function modeLimitation({ id }: ServicePlan, { family }: Plan, { code, reason }: Limitation): Diagnostic {
  const { namespace, name, text, protocol } = id
  return {
    severity: 'info',
    code: 'modeLimitation',
    object: { kind: 'Service', namespace, name },
    message: `${text}/${protocol} over ${family}: ${reason} (${code})`,
  }
}
