import type { Diagnostic, IpFamily } from '@kube-rules/types'
import { formatServicePort } from '../model/services/format-service-port.js'
import type { ServicePlan } from '../plan/plan.js'
import type { Limitation, ModeLowering } from '../targets/mode-lowering.js'
import type { CachedServicePort } from './cached-services.js'

/** A service port with its contribution: the part of the state that it requires in the mode. */
export interface LoweredServicePort {
  readonly cached: CachedServicePort
  readonly part: unknown
  readonly limitations: readonly Diagnostic[]
}

/** Lowers one service port. */
export type ServicePortLowering = (cached: CachedServicePort, family: FamilyLoweringContext) => LoweredServicePort

export interface FamilyLoweringContext {
  readonly mode: ModeLowering
  /** The lowering context that all contributions share (`ModeLowering.lowering`). */
  readonly lowering: unknown
  readonly family: IpFamily
}

/** Computes the contribution of a service port to the state in the mode. */
export function lowerServicePort(
  cached: CachedServicePort,
  { mode, lowering, family }: FamilyLoweringContext,
): LoweredServicePort {
  const { plan } = cached
  const limitations = mode.limitationsOf(plan, lowering)
  return {
    cached,
    part: mode.lowerService(plan, lowering),
    limitations: limitations.length === 0 ? NONE : limitations.map((each) => modeLimitation(plan, family, each)),
  }
}

const NONE: readonly Diagnostic[] = []

/** Creates an `info` diagnostic for a limitation of the mode: the rules of one service port deviate from the plan. */
function modeLimitation({ id }: ServicePlan, family: IpFamily, { code, reason }: Limitation): Diagnostic {
  const { namespace, name } = id
  return {
    severity: 'info',
    code: 'modeLimitation',
    object: { kind: 'Service', namespace, name },
    message: `${formatServicePort(id)} over ${family}: ${reason} (${code})`,
  }
}
