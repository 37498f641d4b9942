import type { Diagnostic, IpFamily } from '@kube-rules/types'
import { servicePortText } from '../model/service-port-text.js'
import type { ServicePlan } from '../plan/plan.js'
import type { Limitation } from '../targets/target.js'

/** An `info` for everything that a mode does otherwise than the plan of one service port says. */
export function modeLimitation({ id }: ServicePlan, family: IpFamily, { code, reason }: Limitation): Diagnostic {
  const { namespace, name } = id
  return {
    severity: 'info',
    code: 'modeLimitation',
    object: { kind: 'Service', namespace, name },
    message: `${servicePortText(id)} over ${family}: ${reason} (${code})`,
  }
}
