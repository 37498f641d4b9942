import fc from 'fast-check'
import { expect, test } from 'vitest'
import { wrapWords } from '../../src/drawing/draw-strip.js'

test('wrapWords splits a sentence between words', () => {
  expect(wrapWords('The packet gets the mark 0x4000.', 14)).toEqual(['The packet', 'gets the mark', '0x4000.'])
})

test('wrapWords truncates a word that is longer than a line', () => {
  expect(wrapWords('in chain KUBE-SVC-67NZLRHBNDSAWJRO.', 12)).toEqual(['in chain', 'KUBE-S…WJRO.'])
})

test('wrapWords returns no line that is too long, and keeps all words that fit', () => {
  const sentence = fc.array(fc.stringMatching(/^[a-z]{1,9}$/), { minLength: 1, maxLength: 12 })
  fc.assert(
    fc.property(sentence, fc.integer({ min: 9, max: 40 }), (words, room) => {
      const lines = wrapWords(words.join(' '), room)
      expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(room)
      expect(lines.join(' ')).toBe(words.join(' '))
    }),
  )
})
