import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findClosestWord } from '../src/find-closest-word.js'

const KNOWN = ['print', 'diff', 'verify', 'explain', 'masqueradeBit', 'iptables']

describe('findClosestWord', () => {
  it.each([
    ['pirnt', 'print'],
    ['prin', 'print'],
    ['prrint', 'print'],
    ['PRINT', 'print'],
    ['dif', 'diff'],
    ['masqueradeBits', 'masqueradeBit'],
    ['masqueradebit', 'masqueradeBit'],
    ['ipTables', 'iptables'],
    ['exlpain', 'explain'],
    ['apply', undefined],
    ['d', undefined],
    ['', undefined],
    ['-', undefined],
  ])('maps %j to %j', (word, nearest) => {
    expect(findClosestWord(word, KNOWN)).toBe(nearest)
  })

  it('prefers the only word with this beginning', () => {
    expect(findClosestWord('node', ['mode', 'nodeName'])).toBe('nodeName')
    expect(findClosestWord('NODE', ['mode', 'nodeName'])).toBe('nodeName')
    expect(findClosestWord('node', ['mode', 'nodeName', 'nodePort'])).toBe('mode')
    expect(findClosestWord('node', ['node', 'nodeName'])).toBe('node')
    expect(findClosestWord('mod', ['mob', 'modes'])).toBe('mob')
  })

  it('returns the first of several equally near words, or undefined if there are no known words', () => {
    expect(findClosestWord('bat', ['cat', 'rat', 'bats'])).toBe('cat')
    expect(findClosestWord('bat', [])).toBeUndefined()
  })

  it('returns a known word if a letter is missing, two letters are swapped or the case differs', () => {
    const words = fc.stringMatching(/^[a-z]{4,12}$/)
    fc.assert(
      fc.property(words, fc.nat(), (word, seed) => {
        const at = seed % (word.length - 1)
        const without = word.slice(0, at) + word.slice(at + 1)
        const swapped = `${word.slice(0, at)}${word[at + 1]}${word[at]}${word.slice(at + 2)}`
        for (const typed of [word, without, swapped, word.toUpperCase()])
          expect(findClosestWord(typed, [word])).toBe(word)
      }),
    )
  })

  it('accepts text of any length', () => {
    expect(findClosestWord('x'.repeat(1_000_000), KNOWN)).toBeUndefined()
  })
})
