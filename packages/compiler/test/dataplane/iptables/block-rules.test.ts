import { describe, expect, it } from 'vitest'
import type { RuleBlock } from '../../../src/dataplane/iptables/ast.js'
import { countRulesByChain, countSharedRules, splitBlockRules } from '../../../src/dataplane/iptables/block-rules.js'
import { getBlockRules } from '../../../src/dataplane/iptables/lazy-block.js'
import { readRule } from './read-rule.js'

/** Builds a block with the chain OWN, and rules as `CHAIN WORDS`. */
function block(rules: readonly string[], owner = 'x'): RuleBlock {
  return {
    owner,
    chains: ['OWN'],
    rules: rules.map((text) => {
      const [chain = '', ...words] = text.split(' ')
      return { ...readRule(words.join(' ')), chain }
    }),
  }
}

describe('the rules of an iptables block', () => {
  const RULES = ['ALL -j OWN', 'OWN -j A', 'ALL -j B', 'OTHER -j C']

  it('are split into rules of its own chains and rules of shared chains', () => {
    const of = block(RULES)
    const [a, b, c, d] = getBlockRules(of)
    const { own, shared } = splitBlockRules(of)
    expect([...own]).toEqual([['OWN', [b]]])
    expect([...shared]).toEqual([
      ['ALL', [a, c]],
      ['OTHER', [d]],
    ])
    expect([...splitBlockRules(block([])).own]).toEqual([['OWN', []]])
  })

  it('are all in shared chains if the block has no owner', () => {
    const { own, shared } = splitBlockRules(block(RULES, ''))
    expect([[...own], [...shared.keys()]]).toEqual([[], ['ALL', 'OWN', 'OTHER']])
    expect([splitBlockRules(undefined).own.size, splitBlockRules(undefined).shared.size]).toEqual([0, 0])
  })

  it('are counted by chain', () => {
    expect(countSharedRules(block(RULES))).toEqual([
      { chain: 'ALL', count: 2 },
      { chain: 'OTHER', count: 1 },
    ])
    expect(countRulesByChain(block(RULES).rules)).toEqual([
      { chain: 'ALL', count: 2 },
      { chain: 'OWN', count: 1 },
      { chain: 'OTHER', count: 1 },
    ])
    expect(countRulesByChain([])).toEqual([])
  })
})
