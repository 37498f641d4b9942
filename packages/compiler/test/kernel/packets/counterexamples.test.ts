import { describe, expect, it } from 'vitest'
import { useSandbox } from '../sandbox/use-sandbox.js'
import { boundOf, chiSquare } from './chi-square.js'
import { buildCounterexampleLab, countsOf, loadRules, observe } from './counterexample-lab.js'
import { type Counterexample, pairsToTry, type Shares } from './counterexamples.js'
import type { Observation } from './lab.js'

// For a packet with different outcomes in two rulesets, real packets must have the outcomes that `compare` lists.

const PAIRS = pairsToTry()

describe('a packet for which compare reports a difference between two rule sets', () => {
  const labFor = useSandbox(['iptables-nft', 'nft', 'network', 'conntrack'], (sandbox) =>
    buildCounterexampleLab(sandbox, PAIRS),
  )
  let shown = 0

  it.for(PAIRS)('has the reported outcome with each rule set: $name', async ({ a, b, counterexamples }, context) => {
    const on = await labFor(context)
    for (const [side, state] of [
      ['a', a],
      ['b', b],
    ] as const) {
      await loadRules(on('node'), state)
      const sent = counterexamples.map((each) => ({ ...each, shares: each[side] }))
      const observations = await observe(on, sent)
      sent.forEach((each, index) => {
        expectSpread(each, each.shares, observations[index] as Observation)
      })
    }
    shown += counterexamples.length
  })

  it('is sent in at least fifty cases', async (context) => {
    await labFor(context)
    expect(shown).toBeGreaterThanOrEqual(50)
  })
})

function expectSpread(each: Counterexample, shares: Shares, observation: Observation): void {
  const counts = countsOf(observation, each)
  const seen = [...counts.keys()].sort()
  const { condition, packet } = each
  const description = `${condition}: ${JSON.stringify(packet)}`
  expect(seen, description).toEqual([...shares.keys()].sort())
  if (shares.size === 1) return
  const [observed, expected] = [seen.map((text) => counts.get(text) ?? 0), seen.map((text) => shares.get(text) ?? 0)]
  expect(chiSquare(observed, expected), description).toBeLessThan(boundOf(shares.size))
}
