import { describe, expect, it } from 'vitest'
import { runCases } from '../conformance/run-cases.mjs'

const RULE = { chain: 'KUBE-FORWARD', text: '-j ACCEPT' }

/** A library whose every result is one filter chain with one rule. */
const library = {
  compile: (input, options) => ({
    mode: input.configuration.mode,
    families: options.families.map((family) => ({
      family,
      plan: 'plan',
      state: { family, tables: [{ name: 'filter' }] },
      healthCheckNodePorts: [{ namespace: 'team-a', name: 'web', port: 32000, localEndpoints: 2 }],
    })),
  }),
  staleConnections: (before, after) => (before === undefined ? [after] : []),
  conntrackFilter: (stale, family) => `${stale} of ${family}`,
  filterText: (filter) => `stale: ${filter}`,
  chainsOf: () => new Map([['KUBE-FORWARD', [RULE]]]),
  printRule: (rule) => `-A ${rule.chain} ${rule.text}`,
}

const expected = {
  tables: { filter: { 'KUBE-FORWARD': ['-j ACCEPT'] } },
  healthCheckNodePorts: { 'team-a/web': { port: 32000, localEndpoints: 2 } },
  conntrack: ['stale: plan of IPv4'],
}
const expectedLater = { ...expected, conntrack: [] }

const objects = (mode) => [
  { kind: 'KubeProxyConfiguration', mode },
  { kind: 'Node', metadata: { name: 'node-1' } },
]
const oneCase = (mode, ...steps) => ({
  name: `one-${mode}`,
  ipFamily: 'IPv4',
  host: {},
  steps: steps.map((step) => ({ objects: objects(mode), expected: step })),
})

/** Differences where the JSON of both sides differs. */
const compareStep = (want, got) => (JSON.stringify(want) === JSON.stringify(got) ? [] : ['differs'])

describe('runCases', () => {
  it('counts steps that agree, also in the connections that are stale since the step before', () => {
    const tally = runCases(library, compareStep, [oneCase('iptables', expected, expectedLater)]).get('iptables')
    expect(tally).toEqual({ cases: new Set(['one-iptables']), steps: 2, agreeing: 2, differences: [] })
  })

  it('starts every case without a step before', () => {
    const cases = [oneCase('iptables', expected), oneCase('iptables', expected)]
    expect(runCases(library, compareStep, cases).get('iptables').agreeing).toBe(2)
  })

  it('names the step that differs', () => {
    const other = { ...expectedLater, tables: {} }
    const tally = runCases(library, compareStep, [oneCase('iptables', expected, other)]).get('iptables')
    expect(tally).toMatchObject({ steps: 2, agreeing: 1 })
    expect(tally.differences).toEqual([{ name: 'one-iptables', step: 2, lines: ['differs'] }])
  })

  it('takes a result for another mode, and an exception, for differences', () => {
    const compile = () => ({ mode: 'ipvs', families: [] })
    const tally = runCases({ ...library, compile }, compareStep, [oneCase('iptables', expected)]).get('iptables')
    expect(tally.differences[0].lines[0]).toContain('compiled for mode ipvs, not iptables')
  })

  it('tells modes that are not implemented from modes that agree', () => {
    const tally = runCases(library, compareStep, [oneCase('later', expected)]).get('later')
    expect(tally).toEqual({ cases: new Set(['one-later']), steps: 1, agreeing: 0, differences: undefined })
  })
})
