import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { ChainRule } from '../../../../src/dataplane/iptables/compare/align-chain.js'
import { ACCEPT, chainRule, compare, RETURN, rule } from './chain-rules.js'

it('compareRules accounts for every rule of both lists', () => {
  const rules = fc
    .array(fc.record({ comments: fc.subarray(['a', 'b', 'c']), target: fc.constantFrom(undefined, ACCEPT, RETURN) }), {
      maxLength: 7,
    })
    .map((all) => all.map(({ comments, target }) => rule(comments, target)))
  let changed = 0
  fc.assert(
    fc.property(rules, rules, fc.boolean(), (live, target, isOfOne) => {
      const differences = compare(live, target, isOfOne)
      const counts = new Map<string, number>()
      const count = (rule: ChainRule, by: number) => counts.set(rule.key, (counts.get(rule.key) ?? 0) + by)
      for (const each of live) count(chainRule(each), 1)
      for (const each of target) count(chainRule(each), -1)
      for (const each of differences) {
        if (each.kind === 'misplaced') continue
        if ('found' in each) count(each.found, -1)
        if ('expected' in each) count(each.expected, 1)
        if (each.kind === 'changed') changed++
      }
      expect([...counts.values()].filter((left) => left !== 0)).toEqual([])
    }),
    { numRuns: 100 },
  )
  expect(changed).toBeGreaterThan(20)
})
