import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type {
  Entry,
  EntryContribution,
  EntryWithSet,
  IpsetState,
  SetDefinition,
} from '../../../src/dataplane/ipset/ast.js'
import { canonicalize } from '../../../src/dataplane/ipset/canonical.js'
import { buildIpsetState, diffIpset, findEntryOwners } from '../../../src/dataplane/ipset/claims.js'
import { formatEntry } from '../../../src/dataplane/ipset/entries.js'
import { assembleIpset, formatEntryId, resourcesOf } from '../../../src/dataplane/ipset/resources.js'
import { applyChanges, invertChanges } from '../../../src/patch/patch.js'

function stateOf(definitions: readonly SetDefinition[], contributions: readonly EntryContribution[]) {
  return buildIpsetState(definitions, () => contributions)
}

const ADDRESSES: SetDefinition = {
  type: 'hash:ip',
  name: 'ADDRESSES',
  family: 'inet',
  hashsize: 1024,
  maxelem: 65536,
}
const PORTS: SetDefinition = { type: 'bitmap:port', name: 'PORTS', firstPort: 0, lastPort: 65535 }

function inAddresses(address: string): EntryWithSet {
  return { set: ADDRESSES, entry: { kind: 'ip', address } }
}

function inPorts(port: number): EntryWithSet {
  return { set: PORTS, entry: { kind: 'port', port } }
}

function textsOf({ sets }: IpsetState): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(sets.map(({ name, entries }) => [name, entries.map(formatEntry)]))
}

describe('an ipset state assembled from contributions', () => {
  it('contains every set in the order of the input, including sets without entries', () => {
    expect(stateOf([PORTS, ADDRESSES], []).sets).toEqual([
      { ...PORTS, entries: [] },
      { ...ADDRESSES, entries: [] },
    ])
  })

  it('contains each entry once, in code-unit order, but with ports in numeric order', () => {
    const contributions = [
      { owner: 'a', entries: [inPorts(30_001), inAddresses('10.0.0.2'), inPorts(999)] },
      { owner: 'b', entries: [inAddresses('10.0.0.10'), inAddresses('10.0.0.2'), inPorts(3001)] },
    ]
    const state = stateOf([ADDRESSES, PORTS], contributions)
    expect(textsOf(state)).toEqual({ ADDRESSES: ['10.0.0.10', '10.0.0.2'], PORTS: ['999', '3001', '30001'] })
    expect(findEntryOwners(state)).toEqual(
      new Map([
        ['ipset PORTS 30001', 'a'],
        ['ipset ADDRESSES 10.0.0.2', 'a'],
        ['ipset PORTS 999', 'a'],
        ['ipset ADDRESSES 10.0.0.10', 'b'],
        ['ipset PORTS 3001', 'b'],
      ]),
    )
  })
})

it('findEntryOwners returns no owners if there are no contributions', () => {
  expect(findEntryOwners({ sets: [{ ...PORTS, entries: [{ kind: 'port', port: 80 }] }] })).toEqual(new Map())
})

const entries: fc.Arbitrary<EntryWithSet> = fc.oneof(
  fc.constantFrom('10.0.0.9', '10.0.0.10', '9.0.0.1').map(inAddresses),
  fc.constantFrom(80, 443, 3001).map(inPorts),
)

const lists: fc.Arbitrary<readonly EntryContribution[]> = fc.tuple(
  ...['a', 'b', 'c'].map((owner) =>
    fc.record({ owner: fc.constant(owner), entries: fc.array(entries, { maxLength: 4 }) }),
  ),
)

/** Generates two states; the second has some of the contributions of the first. */
const pairs: fc.Arbitrary<readonly [IpsetState, IpsetState]> = fc
  .tuple(lists, lists, fc.subarray([0, 1, 2]))
  .map(([before, other, kept]) => {
    const after = before.map((each, place) => (kept.includes(place) ? each : (other[place] as EntryContribution)))
    return [stateOf([ADDRESSES, PORTS], before), stateOf([ADDRESSES, PORTS], after)] as const
  })

function plain({ sets }: IpsetState): IpsetState {
  return { sets }
}

describe('ipset states assembled from arbitrary contributions', () => {
  it('assign every entry to its first owner', () => {
    fc.assert(
      fc.property(lists, (contributions) => {
        const state = stateOf([ADDRESSES, PORTS], contributions)
        const expected = state.sets.flatMap(({ entries: own, ...set }) =>
          own.map((entry: Entry) => {
            const id = formatEntryId({ set, entry })
            const claiming = contributions.filter((each) => each.entries.some((value) => formatEntryId(value) === id))
            return [id, claiming[0]?.owner] as const
          }),
        )
        expect(findEntryOwners(state)).toEqual(new Map(expected))
      }),
    )
  })

  it('have the same diff with owners as without owners', () => {
    let changed = 0
    fc.assert(
      fc.property(pairs, ([before, after]) => {
        const patch = diffIpset(before, after)
        changed += patch.changes.length
        expect(applyChanges(resourcesOf(before), patch)).toEqual(resourcesOf(after))
        expect(applyChanges(resourcesOf(after), invertChanges(patch))).toEqual(resourcesOf(before))
        expect(new Set(patch.changes)).toEqual(new Set(diffIpset(plain(before), plain(after)).changes))
      }),
      { numRuns: 100 },
    )
    expect(changed).toBeGreaterThan(100)
  })

  it('create all sets in a diff from a missing state, and remove all sets in a diff to it', () => {
    fc.assert(
      fc.property(lists, (contributions) => {
        const state = stateOf([ADDRESSES, PORTS], contributions)
        const loading = diffIpset(undefined, state)
        expect(applyChanges(new Map(), loading)).toEqual(resourcesOf(state))
        expect(applyChanges(resourcesOf(state), diffIpset(state, undefined))).toEqual(new Map())
        expect(canonicalize(assembleIpset(resourcesOf(state)))).toEqual(canonicalize(state))
      }),
    )
  })
})
