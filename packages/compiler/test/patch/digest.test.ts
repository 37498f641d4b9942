import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { combineDigests, digestOf, EMPTY_STATE_DIGEST } from '../../src/patch/digest.js'

const digests = fc
  .array(fc.constantFrom(...'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'), { minLength: 16, maxLength: 16 })
  .map((digits) => digits.join(''))

describe('combineDigests', () => {
  it('adds digests digit by digit, modulo 32', () => {
    expect(combineDigests('BAAAAAAAAAAAAAA7', ['BBAAAAAAAAAAAAAC', 'ZAAAAAAAAAAAAAAA'], [])).toBe('3BAAAAAAAAAAAAAB')
    expect(combineDigests(EMPTY_STATE_DIGEST, [], ['BAAAAAAAAAAAAAAA'])).toBe('7AAAAAAAAAAAAAAA')
  })

  it('subtracts added digests in any order', () => {
    fc.assert(
      fc.property(digests, fc.array(digests), (start, parts) => {
        expect(combineDigests(combineDigests(start, parts, []), [], [...parts].reverse())).toBe(start)
        expect(combineDigests(start, [...parts].reverse(), [])).toBe(combineDigests(start, parts, []))
      }),
    )
  })
})

describe('digestOf', () => {
  const a = { id: 'a', refs: [], value: [1] }
  const b = { id: 'b', refs: ['a'], value: { x: 1 } }
  const state = (...resources: readonly (typeof a | typeof b)[]) => new Map(resources.map((each) => [each.id, each]))

  it('returns the same digest for equal states', () => {
    expect(digestOf(state(a, b))).toBe(digestOf(state(structuredClone(b), a)))
    expect(digestOf(new Map())).toBe(EMPTY_STATE_DIGEST)
  })

  it('returns different digests for different states', () => {
    const states = [
      state(),
      state(a),
      state(b),
      state(a, b),
      state({ ...a, value: [2] }, b),
      state(a, { ...b, refs: [] }),
    ]
    expect(new Set(states.map(digestOf)).size).toBe(states.length)
    for (const each of states) expect(digestOf(each)).toMatch(/^[A-Z2-7]{16}$/)
  })
})
