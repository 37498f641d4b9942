import type { Frontend } from '../../plan/plan.js'

/** What becomes of a packet that is refused, in the words of `decisionText`. */
export type Refusal = 'rejected' | 'dropped'

/** What rules that refuse packets to some frontends make of one; undefined where none of these refuses anyone. */
export function refusalAmong(frontends: readonly Frontend[]): Refusal | undefined {
  const first = frontends.map(({ route }) => route.at(-1)?.then.to).find((to) => to === 'reject' || to === 'drop')
  return first && (first === 'reject' ? 'rejected' : 'dropped')
}
