import type { Frontend } from '@kube-rules/compiler/internal/plan/plan'

/** The outcome of a rejected or dropped packet, in the notation of `formatDecision`. */
export type BlockingVerdict = 'rejected' | 'dropped'

/** Returns the outcome of packets to frontends with reject or drop rules; undefined if no frontend has one. */
export function combineBlockingVerdicts(frontends: readonly Frontend[]): BlockingVerdict | undefined {
  const first = frontends
    .map(({ clauses }) => clauses.at(-1)?.action.kind)
    .find((to) => to === 'reject' || to === 'drop')
  return first && (first === 'reject' ? 'rejected' : 'dropped')
}
