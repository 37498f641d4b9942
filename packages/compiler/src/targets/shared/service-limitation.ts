import type { ServicePlan } from '../../plan/plan.js'
import type { Limitation } from '../mode.js'

/** A limitation that makes a difference to some service ports more than to others. */
export interface ServiceLimitation<Lowering> extends Limitation {
  /** Whether it does to this one. */
  applies(service: ServicePlan, lowering: Lowering): boolean
}

/** Those that make a difference to one service port. */
export function applyingTo<Lowering>(
  known: readonly ServiceLimitation<Lowering>[],
  service: ServicePlan,
  lowering: Lowering,
): readonly Limitation[] {
  const applying = known.filter((limitation) => limitation.applies(service, lowering))
  return applying.length === 0 ? NONE : applying.map(limitationAlone)
}

/** One list for the many service ports without any. */
const NONE: readonly Limitation[] = []

/** What is said of a limitation, without whom it applies to. */
export function limitationAlone({ code, reason }: Limitation): Limitation {
  return { code, reason }
}
