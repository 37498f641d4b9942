import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { inOrderOf } from '../conformance/dump.mjs'
import { readCases } from '../conformance/read-cases.mjs'
import { runCases } from '../conformance/run-cases.mjs'
import { selectCases } from '../conformance/select-cases.mjs'

const RULE = { chain: 'KUBE-FORWARD', text: '-j ACCEPT' }

/** A library that always returns one filter chain with one rule, and initially one stale connection. */
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
  applyPatch: (resources, { families }) =>
    new Map([['IPv4', new Map([...(resources.get('IPv4') ?? []), ...families.map(({ patch }) => [patch, RULE])])]]),
  conntrack: {
    toConntrackFilter: (stale, family) => `${stale} of ${family}`,
    formatConntrackFilter: (filter) => `stale: ${filter}`,
  },
  findStaleConnections: () => [],
  iptables: {
    chainsOf: () => new Map([['KUBE-FORWARD', [RULE]]]),
    printRule: (rule) => `-A ${rule.chain} ${rule.text}`,
  },
  parseDump: (text) => ({ ok: true, value: text }),
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

/** Reports a difference if the JSON of both sides differs. */
const compareStep = (want, got) => (JSON.stringify(want) === JSON.stringify(got) ? [] : ['differs'])

describe('runCases', () => {
  it('counts steps with the expected rules and stale connections', () => {
    const tally = runCases(library, compareStep, [oneCase('iptables', expected, expectedLater)]).tallies.get(
      'iptables 1.30',
    )
    expect(tally).toEqual({ cases: new Set(['one-iptables']), steps: 2, agreeing: 2, verified: 2, differences: [] })
  })

  it('starts every case without a previous result', () => {
    const cases = [oneCase('iptables', expected), oneCase('iptables', expected)]
    expect(runCases(library, compareStep, cases).tallies.get('iptables 1.30').agreeing).toBe(2)
  })

  it('reports the step that differs', () => {
    const other = { ...expectedLater, tables: {} }
    const tally = runCases(library, compareStep, [oneCase('iptables', expected, other)]).tallies.get('iptables 1.30')
    expect(tally).toMatchObject({ steps: 2, agreeing: 1, verified: 1 })
    expect(tally.differences).toMatchObject([{ name: 'one-iptables', step: 2 }])
    expect(tally.differences[0].lines).toEqual(['differs', expect.stringMatching(/^verify: a\/b .* missing/)])
  })

  it('compiles every step with the result of the previous step', () => {
    const previous = []
    const compile = (input, options) => {
      if ('previous' in options) previous.push(options.previous?.mode)
      return library.compile(input, options)
    }
    runCases({ ...library, compile }, compareStep, [oneCase('iptables', expected, expectedLater)])
    expect(previous).toEqual([undefined, 'iptables'])
  })

  it('reports a difference if a patch results in different rules than a first load', () => {
    const diff = (before, result) =>
      before ? { families: [{ patch: 'KUBE-LATE', staleConnections: [] }] } : library.diff(before, result)
    const { tallies } = runCases({ ...library, diff }, compareStep, [oneCase('iptables', expected, expectedLater)])
    expect(tallies.get('iptables 1.30').differences).toEqual([
      {
        name: 'one-iptables',
        step: 2,
        lines: ['KUBE-LATE is not the same after the patch as after a first load'],
      },
    ])
  })

  it('reports a difference if the result is for another mode or an exception is thrown', () => {
    const compile = () => ({ mode: 'ipvs', families: [] })
    const tally = runCases({ ...library, compile }, compareStep, [oneCase('iptables', expected)]).tallies.get(
      'iptables 1.30',
    )
    expect(tally.differences[0].lines[0]).toContain('compiled for ipvs mode, not iptables')
  })

  it('reports a difference if a step cannot be read or verified, or is repaired without drift', () => {
    const linesWith = (parts) =>
      runCases({ ...library, ...parts }, compareStep, [oneCase('iptables', expected)]).tallies.get('iptables 1.30')
        .differences[0].lines
    const report = (part) => ({
      verify: () => ({ families: [{ family: 'IPv4', drift: [], unverified: [], repair: [], ...part }] }),
    })
    expect(linesWith({ parseDump: () => ({ ok: false, problems: [{ message: 'no', excerpt: 'here' }] }) })).toEqual([
      "the reference's dump: no\nhere",
    ])
    expect(linesWith(report({ unverified: [{ part: 'iptables' }] }))).toEqual(['IPv4 iptables is not verified'])
    expect(linesWith(report({ repair: [{ purpose: 'change rules' }] }))).toEqual(['a run for nothing: change rules'])
  })

  it('compiles each case for its own version, and counts by version', () => {
    const versions = []
    const compile = (input, options) => {
      versions.push(options.kubernetesVersion)
      return library.compile(input, options)
    }
    const cases = [oneCase('iptables', expected), { ...oneCase('iptables', expected), kubernetesVersion: '1.37' }]
    const { tallies } = runCases({ ...library, compile }, compareStep, cases)
    expect([...new Set(versions)]).toEqual(['1.30', '1.37'])
    expect([...tallies.keys()]).toEqual(['iptables 1.30', 'iptables 1.37'])
  })

  it('skips unimplemented modes, and counts their cases separately', () => {
    const cases = [oneCase('later', expected, expected), oneCase('iptables', expected), oneCase('sooner', expected)]
    const { tallies, skipped } = runCases(library, compareStep, cases)
    expect([...tallies.keys()]).toEqual(['iptables 1.30'])
    const names = new Set(['one-later', 'one-sooner'])
    expect(skipped).toEqual({ cases: names, steps: 3, modes: new Set(['later', 'sooner']) })
  })
})

describe('inOrderOf', () => {
  const rules = ['-d 10.0.0.10 -j A', '-d 10.0.0.2 -j A', '-j LAST']
  const expected = ['-d 10.0.0.2 -j A', '-d 10.0.0.10 -j A', '-j LAST']

  it('sorts only the rules of shared chains, in the order of the library', () => {
    const tables = { nat: { 'KUBE-SERVICES': rules, 'KUBE-SVC-A': rules } }
    const library = { nat: { 'KUBE-SERVICES': expected, 'KUBE-SVC-A': expected } }
    expect(inOrderOf(library, tables)).toEqual({ nat: { 'KUBE-SERVICES': expected, 'KUBE-SVC-A': rules } })
  })

  it('keeps rules and chains that the library does not print', () => {
    const tables = { nat: { 'KUBE-SERVICES': ['-j EXTRA', ...rules], 'KUBE-NODEPORTS': rules } }
    const library = { nat: { 'KUBE-SERVICES': expected } }
    expect(inOrderOf(library, tables)).toEqual({
      nat: { 'KUBE-SERVICES': ['-j EXTRA', ...expected], 'KUBE-NODEPORTS': rules },
    })
  })
})

describe('readCases', () => {
  const folderOf = (files) => {
    const folder = mkdtempSync(join(tmpdir(), 'cases-'))
    for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content)
    return folder
  }

  it('reads the cases of several folders, each in the order of its file names', () => {
    const folders = [{ 'b.json': '1', 'a.json': '2', 'notes.md': '0' }, { 'c.json': '3' }].map(folderOf)
    expect([...readCases(folders)]).toEqual([2, 1, 3])
    for (const folder of folders) rmSync(folder, { recursive: true })
  })

  it('reads one case per line, even from compressed files and individual files', () => {
    const folder = folderOf({ 'a.jsonl': '1\n2\n', 'b.jsonl.gz': gzipSync('3\n4'), 'c.json': '5' })
    expect([...readCases([folder])]).toEqual([1, 2, 3, 4, 5])
    expect([...readCases([join(folder, 'b.jsonl.gz'), join(folder, 'c.json')])]).toEqual([3, 4, 5])
    rmSync(folder, { recursive: true })
  })
})

describe('selectCases', () => {
  const cases = [oneCase('iptables', expected), { ...oneCase('ipvs', expected), kubernetesVersion: '1.18.2' }]
  const selected = (expected) => [...selectCases(cases, expected)].map(({ name }) => name)

  it('returns all cases if there is no condition', () => {
    expect(selected({})).toEqual(['one-iptables', 'one-ipvs'])
  })

  it('returns the cases of the given modes, versions and name', () => {
    expect(selected({ modes: ['ipvs', 'nftables'] })).toEqual(['one-ipvs'])
    expect(selected({ versions: ['1.30'] })).toEqual(['one-iptables'])
    expect(selected({ name: 'ipvs' })).toEqual(['one-ipvs'])
    expect(selected({ modes: ['iptables'], versions: ['1.18.2'] })).toEqual([])
  })
})
