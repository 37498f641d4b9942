import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type ClaimOperations,
  compareContributions,
  createClaimDiffer,
  findClaimOwners,
} from '../../src/patch/claims.js'
import { type ContributedStateOperations, diffContributedStates } from '../../src/patch/contributed-states.js'
import { diffPairs, pairResources } from '../../src/patch/diff-resources.js'
import { EMPTY_STATE_DIGEST } from '../../src/patch/digest.js'
import { applyChanges, type Change, invertChanges } from '../../src/patch/patch.js'
import type { Resource, Resources } from '../../src/patch/resource.js'

/** A claim for a shelf with some books. */
interface Shelf {
  readonly name: string
  readonly rank: number
  readonly books: readonly string[]
}

interface Reader {
  readonly owner: string
  readonly shelves: readonly Shelf[]
}

/** Returns the claimed shelves; the first of several with the same name counts. */
function shelvesOf({ shelves }: Reader): ReadonlyMap<string, Shelf> {
  return new Map([...shelves].reverse().map((shelf) => [shelf.name, shelf]))
}

/** Returns the shelf, then its books, which refer to it. */
function shelfResources({ name, books }: Shelf): readonly Resource[] {
  return [
    { id: name, refs: [], value: { books: books.length } },
    ...books.map((book) => ({ id: `${name} ${book}`, refs: [name], value: {} })),
  ]
}

const sharedKeysOf = ({ shelves }: Reader) => shelves.map(({ name }) => name)

const RANKED: ClaimOperations<Reader, Shelf> = {
  claimsOf: shelvesOf,
  sharedKeysOf,
  rankOf: ({ rank }) => rank,
  isSame: (a, b) => a.books.join(' ') === b.books.join(' '),
  textOf: ({ books }) => books.join(' '),
  resourcesOf: shelfResources,
}

/** Interchangeable claims: they only require that the shelf exists. */
const UNRANKED: ClaimOperations<Reader, Shelf> = {
  claimsOf: shelvesOf,
  sharedKeysOf,
  isSame: () => true,
  textOf: () => '',
  resourcesOf: ({ name }) => shelfResources({ name, rank: 0, books: [] }),
}

type Readers = readonly Reader[]

/** A winning claim with its owner. */
interface Met {
  readonly contribution: Reader
  readonly claim: Shelf
}

/** Computes the winning claims independently of the code under test: all claims, sorted, the first of each name. */
function metBySorting(readers: Readers): ReadonlyMap<string, Met> {
  const claims = readers.flatMap((contribution, place) =>
    [...shelvesOf(contribution).values()].map((claim) => ({ contribution, claim, place })),
  )
  claims.sort((a, b) => a.claim.rank - b.claim.rank || a.place - b.place)
  return new Map(claims.reverse().map(({ contribution, claim }) => [claim.name, { contribution, claim }]))
}

/** Returns all resources for these readers. */
function whole(readers: Readers, { resourcesOf }: ClaimOperations<Reader, Shelf> = RANKED): Resources {
  const resources = [...metBySorting(readers).values()].flatMap(({ claim }) => resourcesOf(claim))
  return new Map(resources.map((resource) => [resource.id, resource]))
}

function wholeChanges(before: Resources, after: Resources): ReadonlySet<Change> {
  return new Set(diffPairs(pairResources(before, after)))
}

const shelves = fc.record({
  name: fc.constantFrom('a', 'b', 'c', 'd'),
  rank: fc.nat({ max: 2 }),
  books: fc.subarray(['x', 'y', 'z']),
})

const readers: fc.Arbitrary<Readers> = fc.tuple(
  ...['1', '2', '3', '4', '5', '6'].map((owner) =>
    fc.array(shelves, { minLength: 1, maxLength: 3 }).map((own): Reader => ({ owner, shelves: own })),
  ),
)

/** Generates lists with the identical reader objects: usually in one order, as a plan has its service ports. */
const histories: fc.Arbitrary<readonly [Readers, Readers, Readers]> = readers.chain((all) => {
  const list = fc.oneof({ weight: 3, arbitrary: fc.subarray([...all]) }, fc.shuffledSubarray([...all]))
  return fc.tuple(list, list, list)
})

/** Counts the shelves with conflicting claims, of different ranks or of equal rank. */
function contested(list: Readers): { readonly byRank: number; readonly byPlace: number } {
  const ranks = new Map<string, number[]>()
  for (const reader of list) {
    for (const { name, rank } of shelvesOf(reader).values()) ranks.set(name, [...(ranks.get(name) ?? []), rank])
  }
  const lists = [...ranks.values()].filter(({ length }) => length > 1)
  return {
    byRank: lists.filter((all) => Math.min(...all) < (all[0] ?? 0)).length,
    byPlace: lists.filter((all) => all.filter((rank) => rank === Math.min(...all)).length > 1).length,
  }
}

it('the generated claims of these property tests often conflict', () => {
  const counts = fc.sample(histories, 1000).map(([list]) => contested(list))
  expect(counts.filter(({ byRank }) => byRank > 0).length).toBeGreaterThan(240)
  expect(counts.filter(({ byPlace }) => byPlace > 0).length).toBeGreaterThan(240)
})

describe('findClaimOwners', () => {
  const reader = (owner: string, ...own: readonly [name: string, rank: number][]): Reader => ({
    owner,
    shelves: own.map(([name, rank]) => ({ name, rank, books: [owner] })),
  })
  const ownersOf = (list: Readers, claiming = RANKED) =>
    Array.from(findClaimOwners(list, claiming), ([name, owner]) => `${name} ${owner}`).sort()

  it.each<[string, Readers, readonly string[]]>([
    ['the first of two owners with the same rank', [reader('p', ['a', 1]), reader('q', ['a', 1])], ['a p']],
    ['the owner with the lowest rank, in any position', [reader('p', ['a', 1]), reader('q', ['a', 0])], ['a q']],
    [
      'an owner for each resource separately',
      [reader('p', ['a', 1], ['b', 0]), reader('q', ['b', 1], ['a', 0])],
      ['a q', 'b p'],
    ],
    ['no owners if there are no claims', [reader('p')], []],
  ])('returns %s', (_, list, owners) => {
    expect(ownersOf(list)).toEqual(owners)
  })

  it('returns the first owner if the claims have no ranks', () => {
    expect(ownersOf([reader('p', ['a', 1]), reader('q', ['a', 0])], UNRANKED)).toEqual(['a p'])
  })

  it('returns the first owner after claims are sorted by rank, for arbitrary claims', () => {
    fc.assert(
      fc.property(histories, ([list]) => {
        const owners = Array.from(metBySorting(list), ([name, { contribution }]) => [name, contribution.owner] as const)
        expect(findClaimOwners(list, RANKED)).toEqual(new Map(owners))
      }),
    )
  })
})

describe.each<[string, ClaimOperations<Reader, Shelf>]>([
  ['with ranked claims', RANKED],
  ['with claims of equal rank', UNRANKED],
])('createClaimDiffer %s', (_, claiming) => {
  it('returns the same changes as a comparison of complete states', () => {
    let found = 0
    fc.assert(
      fc.property(histories, ([before, after]) => {
        const changes = diffPairs(createClaimDiffer(claiming).pairsOf(before, after))
        found += changes.length
        const expected = wholeChanges(whole(before, claiming), whole(after, claiming))
        expect(changes).toHaveLength(expected.size)
        expect(new Set(changes)).toEqual(expected)
      }),
      { numRuns: 100 },
    )
    expect(found).toBeGreaterThan(100)
  })

  it('returns the same changes if the lists come from earlier comparisons', () => {
    fc.assert(
      fc.property(histories, ([a, b, c]) => {
        const claims = createClaimDiffer(claiming)
        for (const [before, after] of [
          [a, b],
          [b, c],
          [a, c],
          [c, b],
          [b, a],
        ] as const) {
          const expected = wholeChanges(whole(before, claiming), whole(after, claiming))
          expect(new Set(diffPairs(claims.pairsOf(before, after)))).toEqual(expected)
        }
      }),
    )
  })

  it('returns equal digests for equal contents and different digests for different contents', () => {
    let same = 0
    fc.assert(
      fc.property(histories, ([a, b, c]) => {
        const claims = createClaimDiffer(claiming)
        claims.pairsOf(a, b)
        claims.pairsOf(b, c)
        const lists = [a, b, c]
        expect(lists.map(claims.digestOf)).toEqual(lists.map((list) => createClaimDiffer(claiming).digestOf(list)))
        for (const [left, right] of [
          [a, b],
          [b, c],
        ] as const) {
          const isSame = wholeChanges(whole(left, claiming), whole(right, claiming)).size === 0
          if (isSame && left.length !== right.length) same++
          expect(claims.digestOf(left) === claims.digestOf(right)).toBe(isSame)
        }
      }),
      { numRuns: 300 },
    )
    expect(same).toBeGreaterThan(0)
  })
})

it('createClaimDiffer does not read claims of identical contributions that have no conflicts', () => {
  const looks: string[] = []
  const claims = createClaimDiffer<Reader, Shelf>({
    ...RANKED,
    claimsOf: (reader) => {
      looks.push(reader.owner)
      return shelvesOf(reader)
    },
  })
  const reader = (owner: string, name: string): Reader => ({ owner, shelves: [{ name, rank: 0, books: [] }] })
  const [first, second, third] = [reader('first', 'a'), reader('second', 'b'), reader('third', 'c')]
  const [before, after] = [
    [first, second],
    [first, third],
  ]
  claims.pairsOf(before, [...before, reader('fourth', 'd')])
  claims.digestOf(before)
  const last = before
  claims.pairsOf(before, last)
  looks.length = 0
  claims.pairsOf(last, after)
  expect(new Set(looks)).toEqual(new Set(['second', 'third']))
})

it('createClaimDiffer reads the keys of unchanged contributions once, however often one list is compared', () => {
  const reads: string[] = []
  const claims = createClaimDiffer<Reader, Shelf>({
    ...RANKED,
    sharedKeysOf: (reader) => {
      reads.push(reader.owner)
      return sharedKeysOf(reader)
    },
  })
  const reader = (owner: string): Reader => ({ owner, shelves: [{ name: owner, rank: 0, books: [] }] })
  const [first, second] = [reader('first'), reader('second')]
  const before = [first, second, reader('third')]
  const [fourth, fifth] = [
    [first, second, reader('fourth')],
    [first, second, reader('fifth')],
  ]
  const readsOf = (from: Readers, to: Readers) => {
    reads.length = 0
    claims.pairsOf(from, to)
    return new Set(reads)
  }
  expect(readsOf(before, fourth)).toEqual(new Set(['first', 'second', 'third', 'fourth']))
  expect(readsOf(before, fifth)).toEqual(new Set(['third', 'fifth']))
  expect(readsOf(before, fourth)).toEqual(new Set(['third', 'fourth']))
  expect(readsOf(fifth, fourth)).toEqual(new Set(['fourth', 'fifth']))
})

describe('compareContributions', () => {
  const known = new Map([...'abcde'].map((name) => [name, { name }]))
  const contributions = (names: string) => [...names].map((name) => known.get(name) ?? { name })
  const listOf = (names: string) => contributions(names)
  const namesOf = (list: readonly { readonly name: string }[]) => list.map(({ name }) => name).join('')

  it.each([
    ['abcde', 'abcde', '', ''],
    ['abde', 'abcde', '', 'c'],
    ['abcde', 'abde', 'c', ''],
    ['abd', 'acd', 'b', 'c'],
    ['', 'ab', '', 'ab'],
    ['ab', '', 'ab', ''],
    ['abc', 'bcd', 'a', 'd'],
  ])('for a change from %s to %s returns "%s" as removed and "%s" as added', (before, after, removed, added) => {
    const changes = compareContributions(listOf(before), listOf(after))
    expect([namesOf(changes.removed), namesOf(changes.added)]).toEqual([removed, added])
  })

  it('returns an equal, non-identical contribution as removed and added', () => {
    const changes = compareContributions(listOf('abc'), [...contributions('a'), { name: 'b' }, ...contributions('c')])
    expect([namesOf(changes.removed), namesOf(changes.added)]).toEqual(['b', 'b'])
  })

  it('returns all items between the common prefix and suffix if contributions swap positions', () => {
    const changes = compareContributions(listOf('abcde'), listOf('acbde'))
    expect([namesOf(changes.removed), namesOf(changes.added)]).toEqual(['bc', 'cb'])
  })

  it('returns no contribution that keeps its relative position', () => {
    fc.assert(
      fc.property(histories, ([before, after]) => {
        const { removed, added } = compareContributions(before, after)
        expect(before.filter((each) => !removed.includes(each))).toEqual(after.filter((each) => !added.includes(each)))
        expect(before).toEqual(expect.arrayContaining([...removed]))
        expect(after).toEqual(expect.arrayContaining([...added]))
      }),
    )
  })
})

describe('diffContributedStates', () => {
  interface Library {
    readonly rooms: readonly string[]
    readonly contributions?: Readers | undefined
    readonly inside: Resources
  }
  const roomsOf = ({ rooms }: Library): Resources =>
    new Map(rooms.map((name) => [`room ${name}`, { id: `room ${name}`, refs: [], value: {} }]))
  const allOf = (library: Library | undefined): Resources =>
    new Map(library === undefined ? [] : [...roomsOf(library), ...library.inside])

  /** Generates libraries with and without contributions, and undefined. */
  const libraries = (list: Readers): fc.Arbitrary<Library | undefined> => {
    const known: fc.Arbitrary<Library> = fc
      .subarray(['r', 's'])
      .map((rooms) => ({ rooms, contributions: list, inside: whole(list) }))
    const unknown = known.map(({ rooms, inside }) => ({ rooms, inside }))
    return fc.oneof({ weight: 6, arbitrary: known }, { weight: 2, arbitrary: unknown }, fc.constant(undefined))
  }
  const pairs = histories.chain(([a, b]) => fc.tuple(libraries(a), libraries(b)))
  const partsOf = (): ContributedStateOperations<Library, Reader> => ({
    claims: createClaimDiffer(RANKED),
    staticResourcesOf: roomsOf,
    all: allOf,
  })

  it('returns an invertible patch from one state to another, with or without contributions', () => {
    fc.assert(
      fc.property(pairs, ([before, after]) => {
        const patch = diffContributedStates(before, after, partsOf())
        expect(applyChanges(allOf(before), patch)).toEqual(allOf(after))
        expect(applyChanges(allOf(after), invertChanges(patch))).toEqual(allOf(before))
      }),
    )
  })

  it('returns the empty digest for a missing state', () => {
    const inside = whole([{ owner: 'p', shelves: [{ name: 'a', rank: 0, books: ['x'] }] }])
    for (const contributions of [[], undefined]) {
      const library: Library = { rooms: [], contributions, inside: contributions === undefined ? inside : new Map() }
      expect(diffContributedStates(undefined, library, partsOf()).from).toBe(EMPTY_STATE_DIGEST)
      expect(diffContributedStates(library, undefined, partsOf()).to).toBe(EMPTY_STATE_DIGEST)
    }
  })
})
