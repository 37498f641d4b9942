import { describe, expect, it } from 'vitest'
import type { DriftItem, StateComparison } from '../../../compiler/src/dataplane/comparison.js'
import type { StateCoverage } from '../../../compiler/src/dataplane/netfilter/coverage.js'
import { restrictToCoverage } from '../../src/verify/restrict-to-coverage.js'

const extra = (location: string): DriftItem => ({
  kind: 'extra',
  location,
  part: { kind: 'rule', table: 'nat', chain: 'A' },
  owner: '',
  reason: 'not wanted',
  found: '-A X',
})
const missing = (location: string): DriftItem => ({
  kind: 'missing',
  location,
  part: { kind: 'rule', table: 'nat', chain: 'A' },
  owner: '',
  reason: 'gone',
  expected: '-A X',
})
const comparisonOf = (
  driftItems: readonly DriftItem[],
  unverified: StateComparison['unverified'] = [],
): StateComparison => ({
  driftItems,
  pairs: [],
  others: [],
  unverified,
})

function known(expected: readonly string[], coverage: StateCoverage, comparison = comparisonOf([])): StateComparison {
  return restrictToCoverage(comparison, { subsystem: 'iptables', expected, coverage })
}

describe('unverified items in a report', () => {
  it('name each table, at most three of its parts, and the number of other parts', () => {
    const expected = [
      'nat/A',
      'nat/B',
      'nat/C',
      'nat/D',
      'nat/E',
      'filter/F',
      'filter/G',
      ...['raw/H', 'raw/I', 'raw/J'],
    ]
    expect(known(expected, { complete: ['filter/F'] }).unverified).toEqual([
      { part: 'nat', reason: 'the dump is incomplete for nat/A, nat/B, nat/C and 2 more' },
      { part: 'filter', reason: 'the dump is incomplete for filter/G' },
      { part: 'raw', reason: 'the dump is incomplete for raw/H, raw/I, raw/J' },
    ])
  })

  it('name no table if the subsystem has no tables', () => {
    const { unverified } = restrictToCoverage(comparisonOf([]), {
      subsystem: 'ipset',
      expected: ['ipset A', 'ipset B'],
      coverage: { complete: ['ipset B'] },
    })
    expect(unverified).toEqual([{ part: '', reason: 'the dump is incomplete for ipset A' }])
  })

  it('exclude items that are reported as missing', () => {
    const before = comparisonOf([], [{ part: 'nat', reason: 'the dump has no table nat' }])
    expect(known(['nat/A', 'filter/F'], { complete: [] }, before).unverified).toEqual([
      { part: 'nat', reason: 'the dump has no table nat' },
      { part: 'filter', reason: 'the dump is incomplete for filter/F' },
    ])
  })
})

describe('drift of a partial dump', () => {
  it('is reported for complete parts and extra rules', () => {
    const found = comparisonOf([missing('nat/A'), extra('nat/B'), missing('nat/B')])
    expect(known(['nat/A', 'nat/B'], { complete: ['nat/A'] }, found).driftItems).toEqual([
      missing('nat/A'),
      extra('nat/B'),
    ])
  })

  it('is reported for a changed rule, and not for another changed part', () => {
    const rule = { ...extra('nat/A'), kind: 'changed' } as const
    const set = { ...rule, location: 'ipset A', part: { kind: 'set', set: 'A' } } as const
    expect(known(['nat/A', 'nat/B'], { complete: ['nat/B'] }, comparisonOf([rule, set])).driftItems).toEqual([rule])
  })

  it('is not reported for rules of truncated chains', () => {
    const found = comparisonOf([extra('nat/A')])
    expect(known(['nat/A'], { complete: ['nat/A'], truncated: ['nat/A'] }, found).driftItems).toEqual([])
  })

  it('is reported for the whole table if the table is complete', () => {
    const found = comparisonOf([missing('nat/A')])
    expect(known(['nat/A'], { complete: ['nat'] }, found)).toBe(found)
  })
})
