import type { Frontend } from '../../plan/plan.js'

/** The outcome of a rejected or dropped packet, in the notation of `decisionText`. */
export type Refusal = 'rejected' | 'dropped'

/** Returns the outcome of packets to frontends with reject or drop rules; undefined if none has any. */
export function refusalAmong(frontends: readonly Frontend[]): Refusal | undefined {
  const first = frontends.map(({ route }) => route.at(-1)?.then.to).find((to) => to === 'reject' || to === 'drop')
  return first && (first === 'reject' ? 'rejected' : 'dropped')
}
