import type { Packet } from '@kube-rules/types'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { NodeState } from '../../../compiler/src/dataplane/node-state.js'
import { readState } from '../../../compiler/test/dataplane/iptables/read-rule.js'
import { fewRuns, isWhole } from '../../../compiler/test/support/runs.js'
import { computeOutcomeDistribution } from '../../src/compare/compare-paths.js'
import { toOutcomeRecord } from '../../src/plan/outcome-distribution.js'
import { trace } from '../../src/trace/trace.js'
import type { TracePath } from '../../src/trace/trace-paths.js'

const PACKET: Packet = {
  origin: 'outside',
  protocol: 'TCP',
  source: '203.0.113.2',
  destination: '10.96.0.1',
  destinationPort: 80,
  inInterface: 'eth0',
}

const NODE = { addresses: ['192.168.0.2'] }

function stateOf(rules: readonly string[]): NodeState {
  const chains = ['A', 'B'].map((chain) => `:${chain} - [0:0]`)
  return { family: 'IPv4', iptables: readState(['*filter', ...chains, ...rules, 'COMMIT\n'].join('\n')) }
}

const traced = (rules: readonly string[]) => trace(stateOf(rules), PACKET, NODE)
const outcomes = (paths: readonly TracePath[]) => paths.map(({ outcome }) => outcome.kind)

describe('rules that cannot be evaluated', () => {
  const undecidable = (count: number, target: (index: number) => string) =>
    Array.from({ length: count }, (_, index) => `-A FORWARD -m ttl --ttl-eq ${index} -j ${target(index)}`)

  it('have one assumption for each rule if there are at most six', () => {
    const paths = traced(undecidable(6, () => 'DROP'))
    expect(paths).toHaveLength(7)
    expect(paths[1]?.assumptions).toEqual([
      { condition: 'iptables filter -A FORWARD -m ttl --ttl-eq 0 -j DROP matches', value: false },
      { condition: 'iptables filter -A FORWARD -m ttl --ttl-eq 1 -j DROP matches', value: true },
    ])
  })

  it('have one assumption for each verdict if there are more than six rules', () => {
    const paths = traced(undecidable(500, (index) => (index % 2 === 0 ? 'DROP' : 'REJECT')))
    expect(outcomes(paths).sort()).toEqual(['dropped', 'rejected', 'unmatched'])
    const [condition] = paths.flatMap(({ outcome, assumptions }) => (outcome.kind === 'dropped' ? assumptions : []))
    expect(condition?.condition.replace(/\(\w+\)$/, '(digest)')).toBe(
      'one of 250 rules that cannot be evaluated applies: iptables filter -A FORWARD -m ttl --ttl-eq 0 -j DROP; iptables filter -A FORWARD -m ttl --ttl-eq 2 -j DROP; iptables filter -A FORWARD -m ttl --ttl-eq 4 -j DROP; 247 more (digest)',
    )
    expect(condition?.value).toBe(true)
  })

  it('cause no assumption if they do not affect the outcome', () => {
    const paths = traced(undecidable(500, (index) => (index % 2 === 0 ? 'ACCEPT' : 'RETURN')))
    expect(paths.map(({ outcome, assumptions }) => [outcome.kind, assumptions])).toEqual([['unmatched', []]])
  })

  it('are not grouped if some of them affect only packets to some endpoints', () => {
    const half = '-m statistic --mode random --probability 0.5000000000'
    const endpoints = [0, 1, 2].map((index) => `-A PREROUTING ${half} -j DNAT --to-destination 10.0.0.${index}:80`)
    const nat = ['*nat', ...endpoints, '-A PREROUTING -j DNAT --to-destination 10.0.0.3:80', 'COMMIT\n']
    const filter = [
      '*filter',
      '-A FORWARD -d 10.0.0.2/31 -m ttl --ttl-eq 1 -j MARK --set-xmark 0x1/0x1',
      '-A FORWARD -m ttl --ttl-eq 2 -j NFQUEUE',
      '-A FORWARD -d 10.0.0.2/31 -m ttl --ttl-eq 1 -j NFQUEUE',
      'COMMIT\n',
    ]
    const state: NodeState = { family: 'IPv4', iptables: readState([...nat, ...filter].join('\n')) }
    const paths = trace(state, PACKET, NODE)
    const holding = (holds: (condition: string) => boolean) =>
      paths.filter(({ assumptions }) => assumptions.every(({ condition, value }) => holds(condition) === value))
    expect(holding(() => false).map(({ outcome, weight }) => [outcome.kind, weight])).toEqual([
      ['delivered', '1/2'],
      ['delivered', '1/4'],
      ['delivered', '1/8'],
      ['delivered', '1/8'],
    ])
    expect(holding((condition) => condition.includes('--ttl-eq 2')).map(({ weight }) => weight)).toEqual(['1'])
  })

  it('are grouped by the chain that they jump to if these chains end differently', () => {
    const jumps = undecidable(100, (index) => (index % 3 === 0 ? 'A' : 'B'))
    const paths = traced([...jumps, '-A A -j DROP', '-A B -m ttl --ttl-eq 200 -j REJECT'])
    expect(outcomes(paths).sort()).toEqual(['dropped', 'rejected', 'unmatched'])
  })

  it('are grouped by their effect on the mark', () => {
    const marks = undecidable(100, () => 'MARK --or-mark 0x1')
    const paths = traced([...marks, '-A FORWARD -m mark --mark 0x1/0x1 -j DROP'])
    expect(outcomes(paths).sort()).toEqual(['dropped', 'unmatched'])
  })

  it('have new assumptions if the packet reaches their chain again under other conditions', () => {
    const rules = Array.from({ length: 20 }, (_, index) => `-A A -m ttl --ttl-eq ${index} -j MARK --or-mark 0x1`)
    const text = ['-A FORWARD -j A', '-A FORWARD -m mark --mark 0x1/0x1 -j DROP', '-A FORWARD -j A', ...rules]
    const paths = traced([...text, '-A FORWARD -m mark --mark 0x1/0x1 -j REJECT'])
    expect(outcomes(paths).sort()).toEqual(['dropped', 'rejected', 'unmatched'])
  })
})

/** The number of undecidable matches: more than six, of which each has an assumption of its own. */
const MATCHES = isWhole ? 10 : 8

const HALF = '-m statistic --mode random --probability 0.5'

const ruleArbitrary = fc
  .record({
    chain: fc.constantFrom('FORWARD', 'FORWARD', 'FORWARD', 'A', 'B'),
    isUndecidable: fc.boolean(),
    target: fc.constantFrom('DROP', 'REJECT', 'ACCEPT', 'RETURN', 'MARK 1', 'MARK 2', 'A', 'B'),
    match: fc.constantFrom('', '-m mark --mark 0x1/0x1', '-m mark --mark 0x2/0x2', HALF),
  })
  // A rule with an undecidable match is undecidable, whatever the probability of another match.
  .filter(({ isUndecidable, match }) => !isUndecidable || match !== HALF)
  .filter(({ chain, target }) => chain === 'FORWARD' || (chain === 'A' ? target !== 'A' : !/^[AB]$/.test(target)))

type Drawn = typeof ruleArbitrary extends fc.Arbitrary<infer Value> ? Value : never

/** Formats rules; `value` replaces undecidable matches. */
function textOf(rules: readonly Drawn[], value?: (index: number) => boolean): readonly string[] {
  let count = 0
  return rules.flatMap(({ chain, isUndecidable, match, target }) => {
    const index = isUndecidable && count < MATCHES ? count++ : undefined
    if (index !== undefined && value?.(index) === false) return []
    const unknown = index === undefined || value !== undefined ? '' : `-m ttl --ttl-eq ${index}`
    const verdict = target.replace(/^MARK (.)$/, 'MARK --or-mark 0x$1')
    return [`-A ${chain} ${match} ${unknown} -j ${verdict}`]
  })
}

function textOfDistribution(paths: readonly TracePath[]): string {
  return JSON.stringify(toOutcomeRecord(computeOutcomeDistribution(paths)))
}

/** Returns the distributions for all values of the conditions. */
function distributionsOf(paths: readonly TracePath[]): ReadonlySet<string> {
  const conditions = [...new Set(paths.flatMap(({ assumptions }) => assumptions.map(({ condition }) => condition)))]
  return new Set(
    Array.from({ length: 2 ** conditions.length }, (_, number) =>
      textOfDistribution(
        paths.filter(({ assumptions }) =>
          assumptions.every((each) => each.value === (((number >> conditions.indexOf(each.condition)) & 1) === 1)),
        ),
      ),
    ),
  )
}

it('a trace through undecidable rules has the outcomes of every combination of results', () => {
  const drawn = { joined: 0, chance: 0 }
  fc.assert(
    fc.property(fc.array(ruleArbitrary, { minLength: 8, maxLength: 24 }), (rules) => {
      const count = Math.min(MATCHES, rules.filter(({ isUndecidable }) => isUndecidable).length)
      const paths = traced(textOf(rules))
      if (paths.some(({ outcome }) => outcome.kind === 'unknown')) return
      const found = distributionsOf(paths)
      const missing = Array.from({ length: 2 ** count }, (_, number) =>
        textOfDistribution(traced(textOf(rules, (index) => ((number >> index) & 1) === 1))),
      ).filter((distribution) => !found.has(distribution))
      expect(missing).toEqual([])
      if (paths.some(({ assumptions }) => assumptions.some(({ condition }) => condition.startsWith('one of'))))
        drawn.joined++
      if (paths.some(({ probability }) => probability < 1)) drawn.chance++
    }),
    { numRuns: fewRuns(300) },
  )
  if (isWhole) expect([drawn.joined > 20, drawn.chance > 20]).toEqual([true, true])
})
