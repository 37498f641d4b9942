import { describe, expect, it } from 'vitest'
import { mergeRules } from '../../../../src/dataplane/iptables/pasted/merge-table.js'

const merge = (first: string, other: string): string => mergeRules([...first], [...other], (item) => item).join('')

describe('mergeRules for two selections of one list', () => {
  it.each([
    ['abc', '', 'abc'],
    ['', 'abc', 'abc'],
    ['ac', 'bc', 'abc'],
    ['ace', 'bcd', 'abced'],
    ['ab', 'ba', 'ab'],
    ['abcd', 'xbyzd', 'axbcyzd'],
    ['ab', 'xy', 'abxy'],
    ['abc', 'cxa', 'abcx'],
    ['ab', 'abx', 'abx'],
  ])('merges %j and %j to %j', (first, other, merged) => {
    expect(merge(first, other)).toBe(merged)
  })

  it('merges 200,000 items', () => {
    const items = Array.from({ length: 200_000 }, (_, index) => `a${index}`)
    const others = items.map((item) => `b${item}`)
    expect(mergeRules([...items, 'z'], [...others, 'z'], (item) => item)).toEqual([...items, ...others, 'z'])
  })
})
