import type { ServicePlan } from '../../plan/plan.js'
import type { Limitation } from '../mode-lowering.js'

/** A limitation that affects individual service ports; `Context` is the further input of its condition. */
export interface ServiceLimitation<Context> extends Limitation {
  /** Reports whether it affects this service port. */
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

/** The empty list, shared by the many service ports without limitations. */
const NONE: readonly Limitation[] = []
