import { describe, expect, it } from 'vitest'
import type { Comparison, Finding } from '../../../compiler/src/dataplane/comparison.js'
import type { Fragment } from '../../../compiler/src/dataplane/netfilter/fragment.js'
import { asFarAsKnown } from '../../src/verify/as-far-as-known.js'

const extra = (place: string): Finding => ({ kind: 'extra', place, owner: '', reason: 'not wanted', found: '-A X' })
const missing = (place: string): Finding => ({ kind: 'missing', place, owner: '', reason: 'gone', wanted: '-A X' })
const comparisonOf = (findings: readonly Finding[], unverified: Comparison['unverified'] = []): Comparison => ({
  findings,
  pairs: [],
  others: [],
  unverified,
})

function known(wanted: readonly string[], fragment: Fragment, comparison = comparisonOf([])): Comparison {
  return asFarAsKnown(comparison, { language: 'iptables', wanted, fragment })
}

describe('unverified items', () => {
  it('are reported by table, with at most three parts and the number of others', () => {
    const wanted = ['nat/A', 'nat/B', 'nat/C', 'nat/D', 'nat/E', 'filter/F', 'filter/G', ...['raw/H', 'raw/I', 'raw/J']]
    expect(known(wanted, { whole: ['filter/F'] }).unverified).toEqual([
      { part: 'nat', reason: 'not all was given of nat/A, nat/B, nat/C and 2 more' },
      { part: 'filter', reason: 'not all was given of filter/G' },
      { part: 'raw', reason: 'not all was given of raw/H, raw/I, raw/J' },
    ])
  })

  it('have no table if the subsystem has none', () => {
    const { unverified } = asFarAsKnown(comparisonOf([]), {
      language: 'ipset',
      wanted: ['ipset A', 'ipset B'],
      fragment: { whole: ['ipset B'] },
    })
    expect(unverified).toEqual([{ part: '', reason: 'not all was given of ipset A' }])
  })

  it('are not repeated if a comparison reports them as missing', () => {
    const before = comparisonOf([], [{ part: 'nat', reason: 'the dump has no table nat' }])
    expect(known(['nat/A', 'filter/F'], { whole: [] }, before).unverified).toEqual([
      { part: 'nat', reason: 'the dump has no table nat' },
      { part: 'filter', reason: 'not all was given of filter/F' },
    ])
  })
})

describe('drift of a partial dump', () => {
  it('is reported for complete parts, and for extra items', () => {
    const found = comparisonOf([missing('nat/A'), extra('nat/B'), missing('nat/B')])
    expect(known(['nat/A', 'nat/B'], { whole: ['nat/A'] }, found).findings).toEqual([missing('nat/A'), extra('nat/B')])
  })

  it('is not reported for truncated rules', () => {
    const found = comparisonOf([extra('nat/A')])
    expect(known(['nat/A'], { whole: ['nat/A'], shownInPart: ['nat/A'] }, found).findings).toEqual([])
  })

  it('is reported in full for a complete table', () => {
    const found = comparisonOf([missing('nat/A')])
    expect(known(['nat/A'], { whole: ['nat'] }, found)).toBe(found)
  })
})
