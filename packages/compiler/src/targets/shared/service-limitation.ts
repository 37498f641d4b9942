import type { ServicePlan } from '../../plan/plan.js'
import type { Limitation } from '../mode-lowering.js'

/** A limitation that makes a difference to some service ports more than to others; `Context` is what it depends on, too. */
export interface ServiceLimitation<Context> extends Limitation {
  /** Whether it does to this one. */
  applies(service: ServicePlan, context: Context): boolean
}

/** Those that make a difference to one service port. */
export function applyingTo<Context>(
  known: readonly ServiceLimitation<Context>[],
  service: ServicePlan,
  context: Context,
): readonly Limitation[] {
  const applying = known.filter((limitation) => limitation.applies(service, context))
  return applying.length === 0 ? NONE : applying.map(limitationAlone)
}

/** One list for the many service ports without any. */
const NONE: readonly Limitation[] = []

/** What is said of a limitation, without whom it applies to. */
export function limitationAlone({ code, reason }: Limitation): Limitation {
  return { code, reason }
}
