import { describe, expect, it } from 'vitest'
import {
  alignChain,
  alignSharedChain,
  type ExpectedRule,
} from '../../../../src/dataplane/iptables/compare/align-chain.js'

/** Builds the rules of `a1 a2 -x`: two of the group `a`, and one without a group. */
function rules(text: string): readonly ExpectedRule[] {
  return text.split(' ').flatMap((key) => {
    const group = key.replace(/[-\d].*$/, '')
    return key === '' ? [] : [{ rule: { chain: 'C', matches: [] }, key, owner: group, group }]
  })
}

const keysOf = (all: readonly ExpectedRule[]) => all.map(({ key }) => key).join(' ')

describe('alignChain', () => {
  it.each([
    ['', '', ''],
    ['', 'a1', ''],
    ['a1 b1', '', 'a1 b1'],
    ['a1 b1', 'b1 a1', 'b1 a1'],
    ['a1 a2', 'a2 a1', 'a1 a2'],
    ['a1 a2 b1', 'a2 b1 a1', 'a1 b1 a2'],
    ['a1 a2 a3 b1', 'a2 b1', 'a1 a2 a3 b1'],
    ['a1 a2 b1', 'b1 a1', 'b1 a1 a2'],
    ['a1 b1 b2', 'a1', 'a1 b1 b2'],
    ['a1 b1 c1', 'c1 x', 'c1 a1 b1'],
    ['a1 a2 b1', 'a2 b1', 'a1 a2 b1'],
    ['-x a1 b1 -y', 'b1 -y -x a1', '-x b1 a1 -y'],
    ['-x -y', '-y -x', '-x -y'],
    ['-x a1 -y b1', 'b1 a1', '-x a1 -y b1'],
    ['a1 a1 b1', 'b1 a1 a1', 'b1 a1 a1'],
    ['a1 b1', 'a1 a1 b1', 'a1 b1'],
    ['a1 a2 a3', 'a3 x a1', 'a1 a2 a3'],
  ])('returns for expected rules %j and live rules %j the order %j', (expected, live, target) => {
    expect(keysOf(alignChain(rules(expected), rules(live)))).toBe(target)
  })

  it.each([
    ['', 'x y', 'x y'],
    ['a1 b1', 'x b1 y', 'x b1 y a1'],
    ['a1 b1', 'b1 x b1 a1', 'b1 x a1'],
    ['a1', 'x x', 'x x a1'],
    ['a1 b1', '', 'a1 b1'],
  ])(
    'returns for expected rules %j and live rules %j of a chain shared with other programs: %j',
    (expected, live, target) => {
      const aligned = alignSharedChain(rules(expected), rules(live))
      expect(keysOf(aligned)).toBe(target)
      const kept = aligned.filter(({ key }) => live.includes(key))
      expect(kept.map(({ owner, group }) => owner + group).join('')).toBe('')
    },
  )
})
