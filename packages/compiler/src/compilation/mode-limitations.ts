import type { Diagnostic } from '@kube-rules/types'
import type { PlanFrame, ServicePlan } from '../plan/plan.js'
import type { Limitation } from '../targets/target.js'

/** An `info` for everything that a mode does otherwise than the plan of one service port says. */
export function modeLimitations(
  limitationsOf: (service: ServicePlan, frame: PlanFrame) => readonly Limitation[],
  service: ServicePlan,
  frame: PlanFrame,
): readonly Diagnostic[] {
  return limitationsOf(service, frame).map((limitation) => modeLimitation(service, frame, limitation))
}

function modeLimitation({ id }: ServicePlan, { family }: PlanFrame, { code, reason }: Limitation): Diagnostic {
  const { namespace, name, text, protocol } = id
  return {
    severity: 'info',
    code: 'modeLimitation',
    object: { kind: 'Service', namespace, name },
    message: `${text}/${protocol} over ${family}: ${reason} (${code})`,
  }
}
