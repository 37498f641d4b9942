import { blockingVerdictOf } from '@kube-rules/compiler/internal/plan/frontend'
import type { Frontend } from '@kube-rules/compiler/internal/plan/plan'

/** The outcome of a rejected or dropped packet, in the notation of `formatDecision`. */
export type BlockingVerdict = 'rejected' | 'dropped'

/**
 * Returns the verdict of the first frontend that rejects or drops packets. Undefined if no frontend rejects or drops
 * packets.
 */
export function combineBlockingVerdicts(frontends: readonly Frontend[]): BlockingVerdict | undefined {
  const first = frontends.map(blockingVerdictOf).find((verdict) => verdict !== undefined)
  return first && (first === 'reject' ? 'rejected' : 'dropped')
}
