import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { nearestWord } from '../src/index.js'

const KNOWN = ['print', 'diff', 'verify', 'explain', 'masqueradeBit', 'iptables']

describe('nearestWord', () => {
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
  ])('of %j is %j', (word, nearest) => {
    expect(nearestWord(word, KNOWN)).toBe(nearest)
  })

  it('is the first of several that are equally near, and nothing where nothing is known', () => {
    expect(nearestWord('bat', ['cat', 'rat', 'bats'])).toBe('cat')
    expect(nearestWord('bat', [])).toBeUndefined()
  })

  it('is any known word itself, and one with a letter too few or two letters swapped', () => {
    const words = fc.stringMatching(/^[a-z]{4,12}$/)
    fc.assert(
      fc.property(words, fc.nat(), (word, seed) => {
        const at = seed % (word.length - 1)
        const without = word.slice(0, at) + word.slice(at + 1)
        const swapped = `${word.slice(0, at)}${word[at + 1]}${word[at]}${word.slice(at + 2)}`
        for (const typed of [word, without, swapped, word.toUpperCase()]) expect(nearestWord(typed, [word])).toBe(word)
      }),
    )
  })

  it('takes text of any length', () => {
    expect(nearestWord('x'.repeat(1_000_000), KNOWN)).toBeUndefined()
  })
})
