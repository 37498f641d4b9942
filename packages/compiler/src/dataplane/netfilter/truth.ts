/** A ternary value; `unknown` if it cannot be determined. */
export type Truth = 'yes' | 'no' | 'unknown'

export function truthOf(holds: boolean): Truth {
  return holds ? 'yes' : 'no'
}

/** Negates a ternary value if `negated` is set. */
export function unless(negated: boolean, truth: Truth): Truth {
  if (!negated || truth === 'unknown') return truth
  return truth === 'yes' ? 'no' : 'yes'
}

/** Computes the ternary disjunction. */
export function anyOf(truths: readonly Truth[]): Truth {
  if (truths.includes('yes')) return 'yes'
  return truths.includes('unknown') ? 'unknown' : 'no'
}
