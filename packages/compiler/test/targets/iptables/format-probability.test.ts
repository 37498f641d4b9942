import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatProbability } from '../../../src/targets/iptables/format-probability.js'

/** Rounds the exact value of a number to decimals in BigInt arithmetic, ties to even. */
function rounded(value: number, decimals: number): string {
  const view = new DataView(new ArrayBuffer(8))
  view.setFloat64(0, value)
  const bits = view.getBigUint64(0)
  const exponent = Number((bits >> 52n) & 0x7ffn) - 1075
  const mantissa = (bits & 0xfffffffffffffn) | 0x10000000000000n
  const [above, below] = exponent >= 0 ? [mantissa << BigInt(exponent), 1n] : [mantissa, 1n << BigInt(-exponent)]
  const scaled = above * 10n ** BigInt(decimals)
  const [quotient, rest] = [scaled / below, scaled % below]
  const isUp = rest * 2n > below || (rest * 2n === below && quotient % 2n === 1n)
  const digits = String(isUp ? quotient + 1n : quotient).padStart(decimals + 1, '0')
  return `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`
}

describe('formatProbability', () => {
  it.each([
    [2, 10, '0.5000000000'],
    [3, 10, '0.3333333333'],
    [2048, 10, '0.0004882812'],
    [4096, 10, '0.0002441406'],
    [64, 5, '0.01562'],
    [3, 5, '0.33333'],
    [32, 4, '0.0312'],
    [16, 3, '0.062'],
    [4, 1, '0.2'],
  ])('formats 1/%i with %i decimals as %s', (count, decimals, text) => {
    expect(formatProbability(count, decimals)).toBe(text)
    expect(rounded(1 / count, decimals)).toBe(text)
  })

  it('rounds 1/n as Go does for every n up to 70000', () => {
    for (let count = 1; count <= 70_000; count++) {
      if (formatProbability(count, 10) !== rounded(1 / count, 10)) expect(count).toBe('rounded as Go does')
      if (formatProbability(count, 5) !== rounded(1 / count, 5)) expect(count).toBe('rounded as Go does')
    }
    expect(rounded(0.75, 1)).toBe('0.8')
  })

  it('rounds as Go does for an arbitrary n and an arbitrary number of decimals', () => {
    const counts = fc.oneof(
      fc.integer({ min: 1, max: 0xffffffff }),
      fc.nat(31).map((power) => 2 ** power),
    )
    fc.assert(
      fc.property(counts, fc.integer({ min: 1, max: 20 }), (count, decimals) => {
        expect(formatProbability(count, decimals)).toBe(rounded(1 / count, decimals))
      }),
      { numRuns: 2000 },
    )
  })
})
