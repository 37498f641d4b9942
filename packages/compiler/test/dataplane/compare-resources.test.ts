import { describe, expect, it } from 'vitest'
import type { ResourceOwnership } from '../../src/dataplane/comparison.js'
import type { IpsetState } from '../../src/dataplane/ipset/ast.js'
import { compareIpset } from '../../src/dataplane/ipset/compare.js'
import type { Resource } from '../../src/patch/resource.js'
import { hashSet } from './ipset/states.js'

// The ownership of another ipset user: its sets have the prefix OUR-, and it does not touch entries of 10.9.0.0/16 in
// them.

const ownership: ResourceOwnership<IpsetState, Resource> = {
  isOwned: (id) => id.startsWith('ipset OUR-') && !/ 10\.9\./.test(id),
  isLookalike: (id) => id === 'ipset OURS',
  reasonOf: (kind, { expected, found }) => `${kind} ${(expected ?? found)?.refs.length === 0 ? 'set' : 'entry'}`,
}

const addresses = (name: string, ...list: readonly string[]) =>
  hashSet(
    'hash:ip',
    name,
    list.map((address) => ({ kind: 'ip', address }) as const),
  )

const wanted: IpsetState = { sets: [addresses('OUR-A', '10.0.0.1', '10.0.0.2'), addresses('OUR-B', '10.0.0.3')] }

const compared = (...sets: IpsetState['sets']) => compareIpset(wanted, { sets }, ownership)
const summary = (...sets: IpsetState['sets']) =>
  compared(...sets).driftItems.map(({ location, reason }) => `${location}: ${reason}`)

describe('compareIpset', () => {
  it('returns no drift if the sets have the expected entries, in any order', () => {
    const [a, b] = wanted.sets
    expect(compared(...(b ? [b] : []), ...(a ? [addresses('OUR-A', '10.0.0.2', '10.0.0.1')] : []))).toEqual({
      driftItems: [],
      pairs: [],
      unverified: [],
      others: [],
    })
  })

  it('reports missing, extra and changed resources with their ipset lines', () => {
    expect(summary(addresses('OUR-A', '10.0.0.1', '10.0.0.7'), addresses('OUR-B', '10.0.0.3'))).toEqual([
      'ipset OUR-A 10.0.0.2: missing entry',
      'ipset OUR-A 10.0.0.7: extra entry',
    ])
    const small = { ...addresses('OUR-B', '10.0.0.3'), maxelem: 7 }
    const { driftItems, pairs } = compared(addresses('OUR-A', '10.0.0.1', '10.0.0.2'), small)
    // Entries of a recreated set are also recreated, and are not drift items.
    expect(driftItems).toEqual([
      {
        owner: '',
        location: 'ipset OUR-B',
        part: { kind: 'set', set: 'OUR-B' },
        kind: 'changed',
        expected: 'create OUR-B hash:ip family inet hashsize 1024 maxelem 65536',
        found: 'create OUR-B hash:ip family inet hashsize 1024 maxelem 7',
        reason: 'changed set',
      },
    ])
    expect(pairs.map(({ after }) => after?.id)).toEqual(['ipset OUR-B', 'ipset OUR-B 10.0.0.3'])
  })

  it('reports a missing or extra set without its entries', () => {
    const b = addresses('OUR-B', '10.0.0.3')
    const { driftItems, pairs } = compared(b, addresses('OUR-OLD', '10.0.0.4', '10.9.0.1'))
    expect(driftItems.map(({ location, kind }) => [location, kind])).toEqual([
      ['ipset OUR-A', 'missing'],
      ['ipset OUR-OLD', 'extra'],
    ])
    // Entries that would remain disappear together with their set.
    expect(pairs.map(({ before }) => before?.id).filter((id) => id !== undefined)).toEqual([
      'ipset OUR-OLD',
      'ipset OUR-OLD 10.0.0.4',
      'ipset OUR-OLD 10.9.0.1',
    ])
  })

  it('ignores foreign sets and entries, and lists sets of unknown owners separately', () => {
    const more = [addresses('OUR-A', '10.0.0.1', '10.0.0.2', '10.9.0.1'), addresses('MINE', '10.0.0.1')]
    expect(compared(...more, addresses('OURS', '10.0.0.1'), addresses('OUR-B', '10.0.0.3'))).toEqual({
      driftItems: [],
      pairs: [],
      unverified: [],
      others: ['ipset OURS'],
    })
  })
})
