import type { Literal } from './program.js'

/** Matches every packet. */
export const ALWAYS: Literal = { kind: 'always' }
/** Matches no packet. */
export const NEVER: Literal = { kind: 'always', negated: true }
/** Cannot be decided. */
export const UNKNOWN: Literal = { kind: 'unknown' }

export function negate(literal: Literal): Literal {
  if (literal.negated !== true) return { ...literal, negated: true }
  const { negated, ...condition } = literal
  return condition
}

export function negateLiteralIf(isNegated: boolean, literal: Literal): Literal {
  return isNegated ? negate(literal) : literal
}

/** Returns the conjunction of literals. */
export function allOf(literals: readonly Literal[]): Literal {
  const conditions = literals.filter((literal) => !isAlways(literal))
  const [only = ALWAYS] = conditions
  if (conditions.length < 2) return only
  return conditions.some(isNever) ? NEVER : { kind: 'all', literals: conditions }
}

/** Returns the disjunction of literals. */
export function anyOf(literals: readonly Literal[]): Literal {
  const [only = NEVER] = literals
  return literals.length < 2 ? only : negate(allOf(literals.map(negate)))
}

function isAlways({ kind, negated }: Literal): boolean {
  return kind === 'always' && negated !== true
}

/** Reports whether a literal matches no packet. */
export function isNever({ kind, negated }: Literal): boolean {
  return kind === 'always' && negated === true
}
