import type { ProxyMode, Settings } from '../model/model.js'
import type { Plan } from '../plan/plan.js'

/** How one proxy mode of kube-proxy says a plan to the kernel. */
export interface Target<State> {
  readonly mode: ProxyMode
  /** What this mode cannot express of a plan, each with its reason. */
  readonly limitations: readonly Limitation[]
  lower(plan: Plan, settings: Settings): State
}

export interface Limitation {
  readonly code: string
  /** One sentence for people. */
  readonly reason: string
}
