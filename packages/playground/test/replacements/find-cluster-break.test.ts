import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findClusterBreak } from '../../src/replacements/find-cluster-break.js'

test.each([
  ['a letter', 'abc', 1, 2, 0],
  ['a letter with an accent', 'ae\u0301b', 1, 3, 0],
  ['the end of a letter with an accent', 'ae\u0301b', 3, 4, 1],
  ['a character of two code units', 'a😀b', 1, 3, 0],
  ['the end of a family of emoji', '👩‍👩‍👧x', 8, 9, 0],
  ['a flag after another flag', '🇩🇪🇫🇷', 4, 8, 0],
  ['the start', 'abc', 0, 1, 0],
  ['the end', 'abc', 3, 3, 2],
  ['an empty line', '', 0, 0, 0],
])('findClusterBreak finds the characters at %s', (_, text, position, next, previous) => {
  expect(findClusterBreak(text, position)).toBe(next)
  expect(findClusterBreak(text, position, false)).toBe(previous)
})

test('findClusterBreak returns from the next character to the start of a character', () => {
  const parts = fc.constantFrom('a', ' ', 'é', 'e\u0301', '😀', '👩‍👩‍👧', '한', '\u200d')
  fc.assert(
    fc.property(fc.array(parts, { minLength: 1, maxLength: 30 }), (line) => {
      const text = line.join('')
      for (let at = 0; at < text.length; ) {
        const next = findClusterBreak(text, at)
        expect(next).toBeGreaterThan(at)
        expect(findClusterBreak(text, next, false)).toBe(at)
        at = next
      }
    }),
  )
})
