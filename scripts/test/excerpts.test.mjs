import { describe, expect, it } from 'vitest'
import * as explaining from '../../packages/analyzer/src/entries/explain.ts'
import { diagnoseNode } from '../../packages/analyzer/src/entries/verify.ts'
import { explain, parseDump, verify } from '../../packages/analyzer/src/index.ts'
import { compileCluster, readCluster } from '../../packages/application/src/cluster.ts'
import { print } from '../../packages/compiler/src/print/print.ts'
import { comparePackets, compareReports, read } from '../excerpts/check.mjs'
import { listingsOf } from '../excerpts/command-cuts.mjs'
import { CUTS } from '../excerpts/cuts.mjs'
import { readNodes } from '../excerpts/nodes.mjs'
import { runExcerpts } from '../excerpts/run.mjs'
import { randomOf } from '../fuzz/mutate.mjs'

const library = { ...explaining, compileCluster, diagnoseNode, explain, parseDump, print, readCluster, verify }
const nodes = readNodes(library).map(({ text }) => {
  let listings
  return {
    lines: text.split('\n'),
    listings: () => {
      listings ??= listingsOf(read(text, library), library)
      return listings
    },
  }
})

const path = (kind, ...conditions) => ({
  outcome: { kind },
  assumptions: conditions.map((condition) => ({ condition, value: true })),
})
const answer = (divergence, ...paths) => ({
  explanation: { paths, ...(divergence && { reason: { divergence } }) },
  diagnoses: [],
})
const report = (verdict, ...drift) => ({
  report: { verdict, families: [{ family: 'IPv4', drift: [{ servicePort: '', drift }] }] },
  diagnoses: [],
})

describe('comparePackets', () => {
  it('finds a certain outcome that the whole refutes', () => {
    const whole = answer(undefined, path('dropped'))
    expect(comparePackets(whole, answer(undefined, path('rejected'))).faults).toEqual([
      'explain: {"kind":"rejected"} instead of {"kind":"dropped"}',
      'explain: only {"kind":"rejected"} instead of {"kind":"dropped"}',
    ])
    expect(comparePackets(whole, answer(undefined, path('dropped'))).faults).toEqual([])
    expect(comparePackets(whole, answer(undefined, path('rejected', 'missing tables accept it'))).faults).toEqual([])
    expect(comparePackets(whole, answer(undefined, path('unknown'))).faults).toEqual([])
  })

  it('finds an outcome of the whole that a certain answer does not have', () => {
    const whole = answer(undefined, path('dropped', 'mark'), path('rejected'))
    expect(comparePackets(whole, answer(undefined, path('rejected'))).faults).toHaveLength(1)
    expect(comparePackets(whole, answer(undefined, path('rejected'), path('unknown'))).faults).toEqual([])
    expect(comparePackets(whole, answer(undefined, path('rejected'), path('dropped', 'mark'))).faults).toEqual([])
    expect(comparePackets(whole, answer(undefined, path('rejected', 'missing tables accept it'))).faults).toEqual([])
  })

  it('accepts another outcome under a condition that the whole does not have', () => {
    const whole = answer(undefined, path('dropped'))
    const paths = [path('dropped'), path('rejected', 'the mark is set')]
    expect(comparePackets(whole, answer(undefined, ...paths)).faults).toEqual([])
    expect(comparePackets(answer(undefined, path('unknown')), answer(undefined, ...paths)).faults).toEqual([])
  })

  it('finds a difference from the objects that the whole does not have', () => {
    const whole = answer(undefined, path('dropped'))
    expect(comparePackets(whole, answer('drift', path('dropped'))).faults).toHaveLength(1)
    expect(comparePackets(whole, answer('undetermined', path('dropped'))).faults).toEqual([])
  })

  it('finds a certain diagnosis that the whole does not have', () => {
    const part = { ...answer(undefined), diagnoses: [{ code: 'a', object: '', summary: 'packets are dropped' }] }
    expect(comparePackets(answer(undefined), part).faults).toHaveLength(1)
    const hedged = { ...part, diagnoses: [{ ...part.diagnoses[0], summary: 'packets may be dropped' }] }
    expect(comparePackets(answer(undefined), hedged).faults).toEqual([])
  })
})

describe('compareReports', () => {
  const item = { subsystem: 'iptables', location: 'nat/A', kind: 'missing', expected: '-A A -j B' }

  it('finds drift that the whole does not have, and a verdict that the whole refutes', () => {
    expect(compareReports(report('noDrift'), report('drift', item)).faults).toHaveLength(1)
    expect(compareReports(report('drift', item), report('drift', item)).faults).toEqual([])
    expect(compareReports(report('drift', item), report('noDrift')).faults).toHaveLength(1)
    expect(compareReports(report('drift', item), report('notVerified')).faults).toEqual([])
  })
})

describe('an excerpt', () => {
  it('never makes a certain statement that the whole dump refutes', () => {
    const { excerpts, comparisons, byMode, faults } = runExcerpts({ library, seed: 1, rounds: 6 })
    expect(faults.map(({ node, cut, fault }) => `${node}, ${cut}: ${fault}`)).toEqual([])
    expect(excerpts).toBeGreaterThan(40)
    expect(comparisons).toBeGreaterThan(1000)
    expect(Object.keys(byMode).length).toBeGreaterThan(1)
  }, 120_000)

  it.each(Object.keys(CUTS))('is drawn by this cut: %s', (cut) => {
    const random = randomOf(3)
    const isDrawn = ({ lines, listings }) => {
      const excerpt = CUTS[cut](lines, random, listings)
      return excerpt !== undefined && read(excerpt, library) !== undefined
    }
    expect(nodes.some(isDrawn)).toBe(true)
  })
})
