/** An exact number from 0 up, in lowest terms. */
export interface Fraction {
  readonly numerator: bigint
  readonly denominator: bigint
}

export const ONE: Fraction = { numerator: 1n, denominator: 1n }

/** `numerator / denominator`, whole numbers; the denominator is above 0. */
export function fraction(numerator: bigint, denominator: bigint): Fraction {
  const divisor = greatestCommonDivisor(numerator, denominator)
  return { numerator: numerator / divisor, denominator: denominator / divisor }
}

export function multiply(a: Fraction, b: Fraction): Fraction {
  return fraction(a.numerator * b.numerator, a.denominator * b.denominator)
}

export function add(a: Fraction, b: Fraction): Fraction {
  return fraction(a.numerator * b.denominator + b.numerator * a.denominator, a.denominator * b.denominator)
}

/** What is missing to 1, of a fraction up to 1. */
export function complement({ numerator, denominator }: Fraction): Fraction {
  return { numerator: denominator - numerator, denominator }
}

/** `1/3`; whole numbers without a denominator. */
export function fractionText({ numerator, denominator }: Fraction): string {
  return denominator === 1n ? String(numerator) : `${numerator}/${denominator}`
}

function greatestCommonDivisor(a: bigint, b: bigint): bigint {
  let [larger, smaller] = [a, b]
  while (smaller > 0n) [larger, smaller] = [smaller, larger % smaller]
  return larger
}
