/** Whether something holds; `unknown` where nobody can tell. */
export type Truth = 'yes' | 'no' | 'unknown'

export function truthOf(holds: boolean): Truth {
  return holds ? 'yes' : 'no'
}

/** Whether it holds, or with `negated` whether it does not. */
export function unless(negated: boolean, truth: Truth): Truth {
  if (!negated || truth === 'unknown') return truth
  return truth === 'yes' ? 'no' : 'yes'
}

/** Whether one of them holds. */
export function anyOf(truths: readonly Truth[]): Truth {
  if (truths.includes('yes')) return 'yes'
  return truths.includes('unknown') ? 'unknown' : 'no'
}
