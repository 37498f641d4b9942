import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compareValues } from '../../src/internal/compare-values.js'

describe('compareValues', () => {
  it('compares strings by code unit', () => {
    expect([compareValues('B', 'a'), compareValues('a', 'B'), compareValues('a', 'a')]).toEqual([-1, 1, 0])
  })

  it('compares numbers, and bigints, by value', () => {
    fc.assert(
      fc.property(fc.integer(), fc.integer(), (a, b) => {
        expect(compareValues(a, b)).toBe(Math.sign(a - b) + 0)
        expect(compareValues(BigInt(a), BigInt(b))).toBe(Math.sign(a - b) + 0)
      }),
    )
  })
})
