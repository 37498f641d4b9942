import type { ServicePlan } from '../../plan/plan.js'
import type { Limitation } from '../mode-lowering.js'

/** A limitation that affects individual service ports. `Context` is the type of the additional argument of `applies`. */
export interface ServiceLimitation<Context> extends Limitation {
  /** Reports whether the limitation affects this service port. */
  applies(service: ServicePlan, context: Context): boolean
}

/** Returns the limitations that affect one service port. */
export function limitationsOfServicePort<Context>(
  known: readonly ServiceLimitation<Context>[],
  service: ServicePlan,
  context: Context,
): readonly Limitation[] {
  const applying = known.filter((limitation) => limitation.applies(service, context))
  return applying.length === 0 ? NONE : applying.map(({ code, reason }) => ({ code, reason }))
}

/** The empty list of limitations. Most service ports have no limitations and share this list. */
const NONE: readonly Limitation[] = []
