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
  if (a === ONE) return b
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

/** The fraction of such a text. Throws where it is none. */
export function parseFraction(text: string): Fraction {
  const [numerator = '', denominator = '1'] = text.split('/')
  return fraction(BigInt(numerator), BigInt(denominator))
}

/** The nearest a number comes to a fraction up to 1. */
export function fractionNumber({ numerator, denominator }: Fraction): number {
  if (denominator <= EXACT) return Number(numerator) / Number(denominator)
  // A number holds no more than 1023 bits, and gives back no more than 53.
  const excess = BigInt(Math.max(0, denominator.toString(2).length - 1000))
  return Number(numerator >> excess) / Number(denominator >> excess)
}

/** Up to here numbers are exact, and quicker. */
const EXACT = BigInt(Number.MAX_SAFE_INTEGER)

function greatestCommonDivisor(a: bigint, b: bigint): bigint {
  if (a <= EXACT && b <= EXACT) return BigInt(divisorOfNumbers(Number(a), Number(b)))
  let [larger, smaller] = [a, b]
  while (smaller > 0n) [larger, smaller] = [smaller, larger % smaller]
  return larger
}

function divisorOfNumbers(a: number, b: number): number {
  let [larger, smaller] = [a, b]
  while (smaller > 0) [larger, smaller] = [smaller, larger % smaller]
  return larger
}
