/** An exact non-negative number as a fraction in lowest terms. */
export interface Fraction {
  readonly numerator: Whole
  readonly denominator: Whole
}

/**
 * A whole number. The type is `number`, which is faster, if the number is exact; otherwise, it is `bigint`. Equal
 * numbers are identical values.
 */
type Whole = number | bigint

export const ZERO_FRACTION: Fraction = { numerator: 0, denominator: 1 }
export const ONE_FRACTION: Fraction = { numerator: 1, denominator: 1 }

/** Returns `numerator / denominator`. Both must be whole numbers, and the denominator must be positive. */
export function createFraction(numerator: Whole, denominator: Whole): Fraction {
  if (typeof numerator === 'number' && typeof denominator === 'number') {
    const divisor = divisorOfNumbers(numerator, denominator)
    return { numerator: numerator / divisor, denominator: denominator / divisor }
  }
  const [above, below] = [BigInt(numerator), BigInt(denominator)]
  const divisor = divisorOfBigInts(above, below)
  return { numerator: whole(above / divisor), denominator: whole(below / divisor) }
}

export function multiplyFractions(a: Fraction, b: Fraction): Fraction {
  if (a === ONE_FRACTION) return b
  return createFraction(product(a.numerator, b.numerator), product(a.denominator, b.denominator))
}

export function addFractions(a: Fraction, b: Fraction): Fraction {
  return createFraction(
    sum(product(a.numerator, b.denominator), product(b.numerator, a.denominator)),
    product(a.denominator, b.denominator),
  )
}

/** Returns 1 minus a fraction. The fraction must be at most 1. */
export function complementOf({ numerator, denominator }: Fraction): Fraction {
  return { numerator: sum(denominator, -numerator), denominator }
}

/** Reports whether the first fraction is less than the second. */
export function isLessThan(a: Fraction, b: Fraction): boolean {
  return product(a.numerator, b.denominator) < product(b.numerator, a.denominator)
}

/** Formats a fraction: `1/3`. A whole number has no denominator. */
export function formatFraction({ numerator, denominator }: Fraction): string {
  return denominator === 1 ? String(numerator) : `${numerator}/${denominator}`
}

/** Parses a fraction. Throws if the text is invalid. */
export function parseFraction(text: string): Fraction {
  const [numerator = '', denominator = '1'] = text.split('/')
  return createFraction(whole(BigInt(numerator)), whole(BigInt(denominator)))
}

/** Returns the number that is nearest to a fraction of at most 1. */
export function fractionToNumber({ numerator, denominator }: Fraction): number {
  if (typeof denominator === 'number') return Number(numerator) / denominator
  // Both numbers are shortened to about 1000 bits, because a double-precision number has a range of 1023 bits.
  const excess = BigInt(Math.max(0, denominator.toString(2).length - 1000))
  return Number(BigInt(numerator) >> excess) / Number(denominator >> excess)
}

function whole(number: bigint): Whole {
  return -EXACT <= number && number <= EXACT ? Number(number) : number
}

const EXACT = BigInt(Number.MAX_SAFE_INTEGER)

function product(a: Whole, b: Whole): Whole {
  const quick = typeof a === 'number' && typeof b === 'number' ? a * b : Number.NaN
  return Number.isSafeInteger(quick) ? quick : whole(BigInt(a) * BigInt(b))
}

function sum(a: Whole, b: Whole): Whole {
  const quick = typeof a === 'number' && typeof b === 'number' ? a + b : Number.NaN
  return Number.isSafeInteger(quick) ? quick : whole(BigInt(a) + BigInt(b))
}

function divisorOfNumbers(a: number, b: number): number {
  let [larger, smaller] = [a, b]
  while (smaller > 0) [larger, smaller] = [smaller, larger % smaller]
  return larger
}

function divisorOfBigInts(a: bigint, b: bigint): bigint {
  let [larger, smaller] = [a, b]
  while (smaller > 0n) [larger, smaller] = [smaller, larger % smaller]
  return larger
}
