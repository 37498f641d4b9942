import { describe, expect, it } from 'vitest'
import {
  createExternalClauses,
  createInternalClauses,
  type ExternalClauseInputs,
  internalMasqueradePolicyOf,
} from '../../src/plan/clauses.js'
import type { Clause, ClauseList } from '../../src/plan/plan.js'

function words({ source: when, masquerade, action: then, reason }: Clause): string {
  const target = then.kind === 'pool' ? then.pool : then.kind
  return [when, ...(masquerade ? ['masqueraded'] : []), target, reason].join(' ')
}

function describeClauses(clauses: ClauseList): readonly string[] {
  return clauses.map(words)
}

/** `+` has endpoints, `-` has none, `remote` has endpoints on other nodes only. */
type Endpoints = '+' | 'remote' | '-'
type Tells = 'pods' | 'nothing'
type Masquerade = 'all' | 'needed'
type Row = readonly ['Cluster' | 'Local', Endpoints, Tells, Masquerade, readonly string[]]

function facts([policy, endpoints, tells, masquerade]: Row): ExternalClauseInputs {
  return {
    usesLocalPolicy: policy === 'Local',
    hasEndpoints: endpoints !== '-',
    hasLocalEndpoints: endpoints === '+',
    detectsLocalTraffic: tells === 'pods',
    masqueradeAll: masquerade === 'all',
    detectsPods: false,
    keepsOwnPackets: false,
    masqueradesLoopback: false,
  }
}

const REFUSED = ['anyone reject noEndpoints']
const UNSERVED = ['anyone drop noLocalEndpoints']

const OFF_CLUSTER = ['notFromPod masqueraded cluster offCluster', 'anyone cluster policy']
const OFF_CLUSTER_LOCAL = ['notFromPod masqueraded local offCluster', 'anyone local policy']
const MASQUERADED = ['anyone masqueraded cluster masqueradeAll']
const MASQUERADED_LOCAL = ['anyone masqueraded local masqueradeAll']

const INTERNAL: readonly Row[] = [
  ['Cluster', '+', 'pods', 'needed', OFF_CLUSTER],
  ['Cluster', '+', 'pods', 'all', MASQUERADED],
  ['Cluster', '+', 'nothing', 'needed', ['anyone cluster policy']],
  ['Cluster', '+', 'nothing', 'all', MASQUERADED],
  ['Cluster', 'remote', 'pods', 'needed', OFF_CLUSTER],
  ['Cluster', 'remote', 'pods', 'all', MASQUERADED],
  ['Cluster', 'remote', 'nothing', 'needed', ['anyone cluster policy']],
  ['Cluster', 'remote', 'nothing', 'all', MASQUERADED],
  ['Cluster', '-', 'pods', 'needed', REFUSED],
  ['Cluster', '-', 'pods', 'all', REFUSED],
  ['Cluster', '-', 'nothing', 'needed', REFUSED],
  ['Cluster', '-', 'nothing', 'all', REFUSED],
  ['Local', '+', 'pods', 'needed', OFF_CLUSTER_LOCAL],
  ['Local', '+', 'pods', 'all', MASQUERADED_LOCAL],
  ['Local', '+', 'nothing', 'needed', ['anyone local policy']],
  ['Local', '+', 'nothing', 'all', MASQUERADED_LOCAL],
  ['Local', 'remote', 'pods', 'needed', UNSERVED],
  ['Local', 'remote', 'pods', 'all', UNSERVED],
  ['Local', 'remote', 'nothing', 'needed', UNSERVED],
  ['Local', 'remote', 'nothing', 'all', UNSERVED],
  ['Local', '-', 'pods', 'needed', REFUSED],
  ['Local', '-', 'pods', 'all', REFUSED],
  ['Local', '-', 'nothing', 'needed', REFUSED],
  ['Local', '-', 'nothing', 'all', REFUSED],
]

const POD = 'fromPod cluster podShortCircuit'
const NODE = 'fromThisNode masqueraded cluster nodeShortCircuit'
const EVERYONE = ['anyone masqueraded cluster policy']

const EXTERNAL: readonly Row[] = [
  ['Cluster', '+', 'pods', 'needed', EVERYONE],
  ['Cluster', '+', 'pods', 'all', EVERYONE],
  ['Cluster', '+', 'nothing', 'needed', EVERYONE],
  ['Cluster', '+', 'nothing', 'all', EVERYONE],
  ['Cluster', 'remote', 'pods', 'needed', EVERYONE],
  ['Cluster', 'remote', 'pods', 'all', EVERYONE],
  ['Cluster', 'remote', 'nothing', 'needed', EVERYONE],
  ['Cluster', 'remote', 'nothing', 'all', EVERYONE],
  ['Cluster', '-', 'pods', 'needed', REFUSED],
  ['Cluster', '-', 'pods', 'all', REFUSED],
  ['Cluster', '-', 'nothing', 'needed', REFUSED],
  ['Cluster', '-', 'nothing', 'all', REFUSED],
  ['Local', '+', 'pods', 'needed', [POD, NODE, 'anyone local policy']],
  ['Local', '+', 'pods', 'all', [POD, NODE, 'anyone local policy']],
  ['Local', '+', 'nothing', 'needed', [NODE, 'anyone local policy']],
  ['Local', '+', 'nothing', 'all', [NODE, 'anyone local policy']],
  ['Local', 'remote', 'pods', 'needed', [POD, NODE, ...UNSERVED]],
  ['Local', 'remote', 'pods', 'all', [POD, NODE, ...UNSERVED]],
  ['Local', 'remote', 'nothing', 'needed', [NODE, ...UNSERVED]],
  ['Local', 'remote', 'nothing', 'all', [NODE, ...UNSERVED]],
  ['Local', '-', 'pods', 'needed', REFUSED],
  ['Local', '-', 'pods', 'all', REFUSED],
  ['Local', '-', 'nothing', 'needed', REFUSED],
  ['Local', '-', 'nothing', 'all', REFUSED],
]

describe.each([
  ['createInternalClauses', createInternalClauses, INTERNAL],
  ['createExternalClauses', createExternalClauses, EXTERNAL],
] as const)('%s', (_name, clausesOf, rows) => {
  it('is tested with every combination of facts', () => {
    expect(new Set(rows.map((row) => JSON.stringify(facts(row)))).size).toBe(2 * 3 * 2 * 2)
  })

  it.each(rows)('is correct for policy %s, endpoints "%s", detection of %s and masquerade %s', (...row) => {
    expect(describeClauses(clausesOf(facts(row)))).toEqual(row[4])
  })

  it('is the same object for facts with the same clauses, and another object for other facts', () => {
    for (const a of rows) {
      const [first, again] = [clausesOf(facts(a)), clausesOf(facts(a))]
      expect(again).toBe(first)
      for (const b of rows) expect(clausesOf(facts(b)) === first).toBe(JSON.stringify(a[4]) === JSON.stringify(b[4]))
    }
  })

  it('ends with its only clause that matches every source', () => {
    for (const row of rows) {
      const whens = clausesOf(facts(row)).map(({ source: when }) => when)
      expect(whens.indexOf('anyone')).toBe(whens.length - 1)
    }
  })
})

it('an internal clause masquerades the packets that internalMasqueradePolicyOf selects', () => {
  const sources = { all: ['anyone'], offCluster: ['notFromPod'], none: [] }
  const served = INTERNAL.filter((row) =>
    createInternalClauses(facts(row)).some(({ action: then }) => then.kind === 'pool'),
  )
  expect(served).toHaveLength(12)
  for (const row of served) {
    const masqueraded = createInternalClauses(facts(row)).filter(({ masquerade }) => masquerade)
    expect(masqueraded.map(({ source: when }) => when)).toEqual(sources[internalMasqueradePolicyOf(facts(row))])
  }
})
