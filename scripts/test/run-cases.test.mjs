import { describe, expect, it } from 'vitest'
import { runCases } from '../conformance/run-cases.mjs'

const RULE = { chain: 'KUBE-FORWARD', text: '-j ACCEPT' }

/** A library whose every result is one filter chain with one rule, and one stale connection when it comes. */
const library = {
  compile: (input, options) => ({
    mode: input.configuration.mode,
    families: options.families.map((family) => ({
      family,
      state: { family, iptables: { family, tables: [{ name: 'filter' }] } },
      healthCheckNodePorts: [{ namespace: 'team-a', name: 'web', port: 32000, localEndpoints: 2 }],
    })),
  }),
  diff: (before, { families }) => ({
    families: before
      ? []
      : families.map(({ family }) => ({ family, patch: 'KUBE-FORWARD', staleConnections: ['all'] })),
  }),
  patches: {
    apply: (resources, { families }) =>
      new Map([['IPv4', new Map([...(resources.get('IPv4') ?? []), ...families.map(({ patch }) => [patch, RULE])])]]),
  },
  conntrack: {
    conntrackFilter: (stale, family) => `${stale} of ${family}`,
    filterText: (filter) => `stale: ${filter}`,
  },
  iptables: {
    chainsOf: () => new Map([['KUBE-FORWARD', [RULE]]]),
    printRule: (rule) => `-A ${rule.chain} ${rule.text}`,
  },
  parse: (text) => ({ ok: true, value: text }),
  verify: (_, dump) => ({ families: [verified(dump)] }),
}

const verified = (dump) => ({
  family: 'IPv4',
  drift: dump.includes('-A KUBE-FORWARD -j ACCEPT\n') ? [] : [{ servicePort: 'a/b', drift: [{ kind: 'missing' }] }],
  unverified: [],
  repair: [],
})

const expected = {
  tables: { filter: { 'KUBE-FORWARD': ['-j ACCEPT'] } },
  healthCheckNodePorts: { 'team-a/web': { port: 32000, localEndpoints: 2 } },
  conntrack: ['stale: all of IPv4'],
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
    expect(tally).toEqual({ cases: new Set(['one-iptables']), steps: 2, agreeing: 2, verified: 2, differences: [] })
  })

  it('starts every case without a step before', () => {
    const cases = [oneCase('iptables', expected), oneCase('iptables', expected)]
    expect(runCases(library, compareStep, cases).get('iptables').agreeing).toBe(2)
  })

  it('names the step that differs', () => {
    const other = { ...expectedLater, tables: {} }
    const tally = runCases(library, compareStep, [oneCase('iptables', expected, other)]).get('iptables')
    expect(tally).toMatchObject({ steps: 2, agreeing: 1, verified: 1 })
    expect(tally.differences).toMatchObject([{ name: 'one-iptables', step: 2 }])
    expect(tally.differences[0].lines).toEqual(['differs', expect.stringMatching(/^verify: a\/b .* missing/)])
  })

  it('compiles every step from the result of the one before', () => {
    const previous = []
    const compile = (input, options) => {
      if ('previous' in options) previous.push(options.previous?.mode)
      return library.compile(input, options)
    }
    runCases({ ...library, compile }, compareStep, [oneCase('iptables', expected, expectedLater)])
    expect(previous).toEqual([undefined, 'iptables'])
  })

  it('takes a patch that leads elsewhere than a first load for a difference', () => {
    const diff = (before, result) =>
      before ? { families: [{ patch: 'KUBE-LATE', staleConnections: [] }] } : library.diff(before, result)
    const tally = runCases({ ...library, diff }, compareStep, [oneCase('iptables', expected, expectedLater)])
    expect(tally.get('iptables').differences).toEqual([
      {
        name: 'one-iptables',
        step: 2,
        lines: ['KUBE-LATE is not the same after the patch as after a first load'],
      },
    ])
  })

  it('takes a result for another mode, and an exception, for differences', () => {
    const compile = () => ({ mode: 'ipvs', families: [] })
    const tally = runCases({ ...library, compile }, compareStep, [oneCase('iptables', expected)]).get('iptables')
    expect(tally.differences[0].lines[0]).toContain('compiled for mode ipvs, not iptables')
  })

  it('takes what cannot be read, what is not verified, and a repair of nothing for differences', () => {
    const linesWith = (parts) =>
      runCases({ ...library, ...parts }, compareStep, [oneCase('iptables', expected)]).get('iptables').differences[0]
        .lines
    const report = (part) => ({
      verify: () => ({ families: [{ family: 'IPv4', drift: [], unverified: [], repair: [], ...part }] }),
    })
    expect(linesWith({ parse: () => ({ ok: false, problems: [{ message: 'no', excerpt: 'here' }] }) })).toEqual([
      "the reference's dump: no\nhere",
    ])
    expect(linesWith(report({ unverified: [{ part: 'iptables' }] }))).toEqual(['IPv4 iptables is not verified'])
    expect(linesWith(report({ repair: [{ purpose: 'change rules' }] }))).toEqual(['a run for nothing: change rules'])
  })

  it('tells modes that are not implemented from modes that agree', () => {
    const tally = runCases(library, compareStep, [oneCase('later', expected)]).get('later')
    expect(tally).toEqual({ cases: new Set(['one-later']), steps: 1, agreeing: 0, verified: 0, differences: undefined })
  })
})
