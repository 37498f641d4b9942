import { createFraction } from '@kube-rules/compiler/internal/internal/fraction'
import { ALWAYS, NEVER, UNKNOWN } from '../../../program/literals.js'
import type { Literal } from '../../../program/program.js'
import type { KeyPart } from './clause.js'
import type { ValueComparison } from './comparison.js'
import { type NumberRange, parseNumberRange, rangesOfOperator } from './numbers.js'

const HIGHEST = 0xffffffff

type GeneratedPart = KeyPart & { readonly kind: 'generated' }

/** Lowers a comparison of a generated number to its probability. */
export function compareGenerated(
  { isRandom, mod, offset }: GeneratedPart,
  { mask, operator, keys }: ValueComparison,
): Literal {
  const ranges = keys.map((key) => parseNumberRange(key, 'integer'))
  if (mask !== undefined || !ranges.every((range) => range !== undefined)) return UNKNOWN
  const compared = rangesOfOperator(operator, ranges, HIGHEST)
  const matching = countNumbers(compared, { first: offset, last: offset + mod - 1 })
  const count = operator === '!=' ? mod - matching : matching
  if (count === 0) return NEVER
  if (count === mod) return ALWAYS
  return isRandom ? { kind: 'chance', share: createFraction(count, mod) } : UNKNOWN
}

/** Counts the numbers of `within` that are in one of the ranges. */
export function countNumbers(ranges: readonly NumberRange[], within: NumberRange): number {
  let count = 0
  let next = within.first
  for (const { first, last } of [...ranges].sort((a, b) => a.first - b.first)) {
    const [from, to] = [Math.max(first, next), Math.min(last, within.last)]
    if (from > to) continue
    count += to - from + 1
    next = to + 1
  }
  return count
}
