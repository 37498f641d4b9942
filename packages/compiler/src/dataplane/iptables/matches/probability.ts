import { type Fraction, fraction } from '../../../internal/fraction.js'

const ONE = 0x80000000
const TIE = 0x80000

/**
 * A probability as the kernel keeps it and iptables-save prints it: a multiple of 2^-31 with 11 decimals, so
 * `0.3333333333` reads `0.33333333349`. The multiples lie further apart than the decimals, so no two of them read the same.
 */
export function kernelProbability(probability: string): string {
  const parts = Math.round(Number(probability) * ONE)
  const text = (parts / ONE).toFixed(11)
  return parts % (2 * TIE) === TIE ? roundHalfToEven(text) : text
}

/** `toFixed` rounds ties up, C's `printf` to the even digit: `1/4096` is `0.00024414062` there. */
function roundHalfToEven(text: string): string {
  const digit = text.charCodeAt(text.length - 1) - 48
  return digit % 2 === 0 ? text : text.slice(0, -1) + (digit - 1)
}

/**
 * The share of packets that a probability stands for: `1/3` for what the kernel keeps of a third, and else its multiple
 * of 2^-31.
 */
export function shareOf(probability: string): Fraction {
  const parts = Math.round(Number(probability) * ONE)
  const count = Math.round(ONE / Math.max(parts, 1))
  // Ten decimals of a third may come to the multiple beside the one that is nearest to it.
  const isShare = Math.abs(parts - ONE / count) < 1 && parts > 0
  return isShare ? fraction(1, count) : fraction(parts, ONE)
}

/** Whether `text` is a decimal number from 0 to 1. */
export function isProbability(text: string): boolean {
  return /^(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(text) && Number(text) <= 1
}
