import type { Diagnostic, IpFamily } from '@kube-rules/types'
import type { ServicePlan } from '../plan/plan.js'
import { servicePortText } from '../services/service-port-text.js'
import type { Limitation } from '../targets/mode.js'

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
