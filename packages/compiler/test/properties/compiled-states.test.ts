import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { countSharedRules } from '../../src/dataplane/iptables/block-rules.js'
import { chainsOf } from '../../src/dataplane/iptables/chains.js'
import { countBlockRules, getBlockRules, precomputedCountsOf } from '../../src/dataplane/iptables/lazy-block.js'
import type { NodeState } from '../../src/dataplane/node-state.js'
import { cases } from '../support/clusters.js'
import { compileCase } from '../support/compiled.js'
import { isKnownRefusal, refusalsOf } from '../support/hostile-cases.js'

/** Counts the declared chains, and the rules in all chains. */
function countsIn({ iptables, nftables }: NodeState) {
  const tables = iptables?.tables ?? []
  const chains = nftables?.tables.flatMap((table) => table.chains) ?? []
  return {
    chains: chains.length + tables.flatMap(({ blocks }) => blocks.flatMap((block) => block.chains)).length,
    rules:
      chains.flatMap(({ rules }) => rules).length +
      tables.flatMap((table) => [...chainsOf(table).values()].flat()).length,
  }
}

describe('the state in a compile result', () => {
  it('is accepted by all tool interpreters, and has as many chains and rules as the result reports', () => {
    let lazy = 0
    fc.assert(
      fc.property(cases, (given) => {
        for (const { state, counts } of compileCase(given).families) {
          expect(refusalsOf(state).filter((rejection) => !isKnownRefusal(rejection))).toEqual([])
          const { iptables = { family: state.family, tables: [] } } = state
          const { chains, rules } = counts
          expect({ chains, rules }).toEqual(countsIn(state))
          for (const block of iptables.tables.flatMap(({ blocks }) => blocks)) {
            const rules = getBlockRules(block)
            expect(countBlockRules(block)).toBe(rules.length)
            expect(countSharedRules(block)).toEqual(countSharedRules({ ...block, rules }))
            if (precomputedCountsOf(block) !== undefined) lazy++
          }
        }
      }),
      { numRuns: 60 },
    )
    expect(lazy).toBeGreaterThan(0)
  })
})
