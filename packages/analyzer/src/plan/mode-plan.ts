import type { Plan } from '@kube-rules/compiler/internal/plan/plan'
import type { ProxyMode } from '@kube-rules/compiler/internal/targets/modes'

/** A mode with its plan. */
export interface ModePlan {
  /** The mode. */
  readonly mode: ProxyMode
  /** The plan that was compiled for the mode. */
  readonly plan: Plan
}
