import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type ChunkedList,
  createChunkedList,
  createListSharingChunks,
  findLowerBound,
  getItem,
  type ListReplacement,
  prefixSum,
  replaceItems,
  sliceItems,
  toArray,
  trimCommonEnds,
} from '../../src/internal/chunked-list.js'
import { isWhole, runs } from '../support/runs.js'

function range(length: number, from = 0): readonly number[] {
  return Array.from({ length }, (_, index) => from + index)
}

/** A position in a list of any length, with the number of removed and of added items. */
interface Place {
  readonly at: number
  readonly removed: number
  readonly added: number
}

/** Usually few items change, sometimes hundreds. */
const counts = fc.oneof({ weight: 4, arbitrary: fc.nat(3) }, fc.nat(1200))
const places: fc.Arbitrary<Place> = fc.record({ at: fc.nat(100_000), removed: counts, added: counts })
/** The length of a list, and successive replacements in it. */
const histories = fc.tuple(
  fc.oneof(fc.nat(3), fc.nat(2500)),
  fc.array(fc.array(places, { maxLength: 6 }), { minLength: 1, maxLength: 6 }),
)

/** Builds replacements at these positions, with new items. */
function replacementsAt(length: number, step: readonly Place[], number: number): readonly ListReplacement<number>[] {
  const found: ListReplacement<number>[] = []
  let [from, next] = [0, number]
  for (const { at, removed, added } of step
    .map((place) => ({ ...place, at: place.at % (length + 1) }))
    .sort((a, b) => a.at - b.at)) {
    if (at < from) continue
    const gone = Math.min(removed, length - at)
    found.push({ at, removed: gone, added: range(added, next) })
    next += added
    from = at + gone + 1
  }
  return found
}

function replaced(items: readonly number[], replacements: readonly ListReplacement<number>[]): readonly number[] {
  const result = [...items]
  for (const { at, removed, added } of [...replacements].reverse()) result.splice(at, removed, ...added)
  return result
}

/** Expects the list to be well formed and to have these items. */
function expectItems(list: ChunkedList<number>, items: readonly number[]): void {
  const sizes = list.chunks.map((chunk) => chunk.items.length)
  expect(toArray(list)).toEqual(items)
  expect(list.length).toBe(items.length)
  expect(list.starts).toEqual(sizes.map((_, index) => sizes.slice(0, index).reduce((sum, size) => sum + size, 0)))
  expect(sizes.every((size) => size > 0 && size <= 512)).toBe(true)
}

function sharedChunks(before: ChunkedList<number>, after: ChunkedList<number>): number {
  const known = new Set(before.chunks)
  return after.chunks.filter((chunk) => known.has(chunk)).length
}

describe('a chunked list', () => {
  it('has the same items as an array after each replacement, and shares unchanged chunks', () => {
    const seen = { steps: 0, long: 0, shared: 0, more: 0, fewer: 0, empty: 0 }
    fc.assert(
      fc.property(histories, ([length, steps]) => {
        let items = range(length)
        let list = createChunkedList(items)
        expectItems(list, items)
        for (const [index, step] of steps.entries()) {
          const replacements = replacementsAt(items.length, step, (index + 1) * 100_000)
          const [before, after] = [list, replaceItems(list, replacements)]
          const expected = replaced(items, replacements)
          expectItems(after, expected)
          expectItems(before, items)
          const { start, before: gone, after: come } = trimCommonEnds(before, after)
          expect(replaced(items, [{ at: start, removed: gone.length, added: come }])).toEqual(expected)
          expect(items.slice(start, start + gone.length)).toEqual(gone)
          expectItems(createListSharingChunks(before, expected), expected)
          seen.steps++
          if (before.chunks.length > 3) seen.long++
          if (before.chunks.length > 3 && sharedChunks(before, after) > 0) seen.shared++
          if (after.chunks.length > before.chunks.length) seen.more++
          if (after.chunks.length < before.chunks.length) seen.fewer++
          if (after.length === 0) seen.empty++
          ;[items, list] = [expected, after]
        }
      }),
      { numRuns: runs(300) },
    )
    if (!isWhole) return
    expect(seen.steps).toBeGreaterThan(500)
    for (const kind of ['long', 'shared', 'more', 'fewer', 'empty'] as const) expect(seen[kind]).toBeGreaterThan(10)
  })

  it('returns the same items, ranges and sums as an array', () => {
    fc.assert(
      fc.property(histories, fc.nat(100_000), fc.nat(100_000), ([length, [step = []]], one, other) => {
        const replacements = replacementsAt(length, step, 100_000)
        const items = replaced(range(length), replacements)
        const list = replaceItems(createChunkedList(range(length)), replacements)
        const [from, to] = [one, other].map((place) => place % (items.length + 1)).sort((a, b) => a - b) as [
          number,
          number,
        ]
        expect(getItem(list, from)).toBe(items[from])
        expect(sliceItems(list, from, to)).toEqual(items.slice(from, to))
        const isOdd = (item: number) => item % 2
        const odd = items.slice(0, to).filter((item) => isOdd(item) === 1).length
        expect([prefixSum(list, to, 'odd', isOdd), prefixSum(list, to, 'odd', isOdd)]).toEqual([odd, odd])
      }),
    )
  })

  it('finds the lower bound of a value in sorted items', () => {
    const list = createChunkedList(range(1000).map((number) => 2 * number))
    for (const number of [-1, 0, 1, 510, 511, 512, 513, 1998, 1999, 5000]) {
      expect(findLowerBound(list, (item) => item - number)).toBe(Math.min(1000, Math.max(0, Math.ceil(number / 2))))
    }
    expect(findLowerBound(createChunkedList<number>([]), (item) => item)).toBe(0)
  })

  it('shares all unchanged chunks after one item is replaced', () => {
    const list = createChunkedList(range(50_000))
    const other = replaceItems(list, [{ at: 30_000, removed: 1, added: [-1] }])
    expect(sharedChunks(list, other)).toBe(list.chunks.length - 1)
  })

  it('has few chunks after many removals of individual items', () => {
    let list = createChunkedList(range(5000))
    for (let round = 0; round < 20; round++) {
      const places = range(250).map((index) => Math.floor((index * list.length) / 250))
      list = replaceItems(
        list,
        [...new Set(places)].filter((at) => at < list.length).map((at) => ({ at, removed: 1, added: [] })),
      )
    }
    expect(list.chunks.length).toBeLessThan(5)
  })
})

describe('createListSharingChunks', () => {
  it('returns the identical list if all items are equal', () => {
    const list = createChunkedList(range(1000))
    expect(createListSharingChunks(list, range(1000))).toBe(list)
    expect(createListSharingChunks(createChunkedList<number>([]), []).length).toBe(0)
  })

  it('shares the chunks before and after the items that differ', () => {
    const list = createChunkedList(range(2560))
    const other = createListSharingChunks(list, [...range(1200), -1, ...range(1360, 1200)])
    expect(sharedChunks(list, other)).toBe(9)
    expectItems(other, [...range(1200), -1, ...range(1360, 1200)])
  })

  it.each([
    ['an added duplicate', [1, 1], [1, 1, 1]],
    ['a removed duplicate', [1, 1, 1], [1, 1]],
    ['no new items', [1, 2], []],
    ['an empty old list', [], [1, 2]],
  ])('returns the new items for %s', (_, before, after) => {
    expect(toArray(createListSharingChunks(createChunkedList(before), after))).toEqual(after)
  })
})
