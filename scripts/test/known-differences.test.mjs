import { describe, expect, it } from 'vitest'
import { splitByKnown } from '../conformance/known-differences.mjs'

const difference = (name, step) => ({ name, step, lines: ['x'] })
const tally = (cases, ...differences) => ({ cases: new Set(cases), differences })
const entry = (name, step) => ({ case: name, step, reason: 'chance' })

describe('splitByKnown', () => {
  it('separates known differences from other differences', () => {
    const tallies = new Map([
      ['iptables 1.14', tally(['a', 'b'], difference('a', 1), difference('b', 2))],
      ['ipvs 1.14', tally(['c'])],
    ])
    expect(splitByKnown(tallies, [entry('a', 1)])).toEqual({
      unknown: [[difference('b', 2)]],
      explained: [entry('a', 1)],
      outdated: [],
    })
  })

  it('explains a difference with the reason that the case shows', () => {
    const shown = { ...difference('a', 1), reason: 'a slice changed its Service' }
    const tallies = new Map([['iptables 1.14', tally(['a'], shown, difference('a', 2))]])
    expect(splitByKnown(tallies, [])).toEqual({
      unknown: [[difference('a', 2)]],
      explained: [{ case: 'a', step: 1, reason: 'a slice changed its Service' }],
      outdated: [],
    })
  })

  it('reports a known difference as outdated if its step no longer differs', () => {
    const tallies = new Map([['iptables 1.14', tally(['a'], difference('a', 2))]])
    expect(splitByKnown(tallies, [entry('a', 1), entry('a', 2), entry('z', 1)])).toEqual({
      unknown: [],
      explained: [entry('a', 2)],
      outdated: [entry('a', 1)],
    })
  })
})
