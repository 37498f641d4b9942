/** A ternary value. `unknown` means that the value cannot be determined. */
export type Ternary = 'yes' | 'no' | 'unknown'

export function toTernary(holds: boolean): Ternary {
  return holds ? 'yes' : 'no'
}

/** Negates a ternary value if `negated` is set. */
export function negateIf(negated: boolean, ternary: Ternary): Ternary {
  if (!negated || ternary === 'unknown') return ternary
  return ternary === 'yes' ? 'no' : 'yes'
}

/** Computes the ternary disjunction. */
export function disjunctionOf(truths: readonly Ternary[]): Ternary {
  if (truths.includes('yes')) return 'yes'
  return truths.includes('unknown') ? 'unknown' : 'no'
}
