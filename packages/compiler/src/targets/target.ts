import type { Diagnostic } from '@kube-rules/types'
import type { Settings } from '../model/model.js'
import type { Plan, ServicePlan } from '../plan/plan.js'

/** How one proxy mode of kube-proxy says a plan to the kernel. */
export interface Target<State> {
  /** What this mode cannot express of a plan, each with its reason. */
  readonly limitations: readonly Limitation[]
  /** Those of the limitations that make a difference to one service port of the plan. */
  limitationsOf(service: ServicePlan, plan: Plan): readonly Limitation[]
  /** Errors: what this mode cannot work with. Nothing is lowered where there is one. */
  validate(settings: Settings): readonly Diagnostic[]
  lower(plan: Plan, settings: Settings): State
  /** Throws where the state could not be given to the kernel, which is a bug of the library. */
  check(state: State): void
  count(state: State): StateCounts
}

/** Something a plan may ask for that a mode does otherwise. */
export interface Limitation {
  readonly code: string
  /** One sentence for people. */
  readonly reason: string
}

/** How much a state holds. */
export interface StateCounts {
  readonly chains: number
  readonly rules: number
}
