import { describe, expect, it } from 'vitest'
import type { Rule } from '../../../src/dataplane/iptables/ast.js'
import { countBlockRules, createLazyBlock, getBlockRules } from '../../../src/dataplane/iptables/lazy-block.js'

const RULE: Rule = { chain: 'A', matches: [], target: { kind: 'accept' } }

/** Builds a block that counts the constructions of its rules. */
function counted() {
  let times = 0
  const block = createLazyBlock({ owner: 'x', chains: ['A'] }, { ruleCount: 1, sharedCounts: [] }, RULE, (rule) => {
    times++
    return [rule]
  })
  return { block, times: () => times }
}

describe('a lazy block', () => {
  it('creates its rules once, when the rules are first read', () => {
    const { block, times } = counted()
    expect(times()).toBe(0)
    expect(block.rules).toBe(block.rules)
    expect(times()).toBe(1)
  })

  it('is plain data when it is copied, compared or serialized', () => {
    const plain = { owner: 'x', chains: ['A'], rules: [RULE] }
    expect(counted().block).toEqual(plain)
    expect(JSON.stringify(counted().block)).toBe(JSON.stringify(plain))
    expect(structuredClone(counted().block)).toStrictEqual(plain)
    expect({ ...counted().block }).toStrictEqual(plain)
  })
})

describe('getBlockRules', () => {
  it('does not cache the rules of a lazy block', () => {
    const { block, times } = counted()
    expect([getBlockRules(block), getBlockRules(block)]).toEqual([[RULE], [RULE]])
    expect(times()).toBe(2)
  })

  it('returns the rules of a block that is not lazy', () => {
    const rules = [RULE]
    expect(getBlockRules({ chains: [], rules })).toBe(rules)
  })
})

it('a lazy block creates its rules from its source and its chains', () => {
  const make = (chain: string, chains: readonly string[]) => [{ ...RULE, chain: [chain, ...chains].join('-') }]
  const block = createLazyBlock({ owner: 'x', chains: ['A', 'B'] }, { ruleCount: 1, sharedCounts: [] }, 'S', make)
  expect(getBlockRules(block)).toEqual([{ ...RULE, chain: 'S-A-B' }])
  expect(block.rules).toEqual([{ ...RULE, chain: 'S-A-B' }])
})

describe('countBlockRules', () => {
  it('does not create the rules of a lazy block', () => {
    const { block, times } = counted()
    expect(countBlockRules(block)).toBe(1)
    expect(times()).toBe(0)
  })

  it('counts the rules of a block that is not lazy', () => {
    expect(countBlockRules({ rules: [RULE, RULE] })).toBe(2)
  })
})
