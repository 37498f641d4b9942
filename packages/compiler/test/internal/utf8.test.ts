import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { exceedsUtf8Length, truncateUtf8 } from '../../src/internal/utf8.js'

const TEXT = fc.string({ unit: fc.oneof(fc.constantFrom('a', 'é', '€', '😀', '\ud800', '\udc00'), fc.string()) })

describe('truncateUtf8', () => {
  it.each([
    ['abc', 3, 'abc'],
    ['abc', 2, 'ab'],
    ['aé', 2, 'a'],
    ['a😀b', 4, 'a'],
    ['a😀b', 5, 'a😀'],
    ['', 0, ''],
  ])('truncates "%s" to at most %i bytes, to "%s"', (text, limit, expected) => {
    expect(truncateUtf8(text, limit)).toBe(expected)
  })

  it('returns the longest prefix within the byte limit', () => {
    fc.assert(
      fc.property(TEXT, fc.nat(40), (text, limit) => {
        const cut = truncateUtf8(text, limit)
        expect(text.startsWith(cut)).toBe(true)
        expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(limit)
        const next = String.fromCodePoint(
          ...[...text.slice(cut.length)].slice(0, 1).map((one) => one.codePointAt(0) ?? 0),
        )
        if (cut !== text) expect(Buffer.byteLength(cut + next)).toBeGreaterThan(limit)
      }),
    )
  })
})

describe('exceedsUtf8Length', () => {
  it.each([
    ['abc', 3, false],
    ['abcd', 3, true],
    ['ä', 1, true],
    ['ä', 2, false],
    ['€', 2, true],
    ['€', 3, false],
    ['', 0, false],
  ])('%j has more than %i bytes: %s', (text, bytes, isLonger) => {
    expect(exceedsUtf8Length(text, bytes)).toBe(isLonger)
  })
})
