import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createChunkedList, replaceItems } from '../../src/internal/chunked-list.js'
import { compareContributions } from '../../src/patch/claims.js'
import { createClaimantFinder, type KeyTest } from '../../src/patch/find-claimants.js'

interface Contribution {
  readonly keys: readonly (readonly [first: string, second: string | number])[]
}

const someSharedKey = ({ keys }: Contribution, test: KeyTest) => keys.some(([first, second]) => test(first, second))

const COUNT = 1_500

/** Generates keys of which some are claimed several times, in any two positions of the list. */
const key = fc.tuple(
  fc.nat({ max: COUNT / 2 }).map((number) => `10.96.${number >> 8}.${number & 255}`),
  fc.oneof(fc.constantFrom(80, 443), fc.constantFrom('80', 'service-ips')),
)
const contribution: fc.Arbitrary<Contribution> = fc.record({ keys: fc.array(key, { maxLength: 3 }) })
const contributions = fc.array(contribution, { minLength: COUNT, maxLength: COUNT })

const changes = fc.uniqueArray(fc.tuple(fc.nat({ max: COUNT - 1 }), fc.option(contribution)), {
  minLength: 1,
  maxLength: 4,
  selector: ([at]) => at,
})

/** Returns the changed contributions and those with one of their keys, by comparing every key. */
function claimantsOf(list: readonly Contribution[], changed: ReadonlySet<Contribution>): readonly Contribution[] {
  const keys = new Set([...changed].flatMap((each) => each.keys.map((own) => JSON.stringify(own))))
  return list.filter((each) => changed.has(each) || each.keys.some((own) => keys.has(JSON.stringify(own))))
}

describe('a finder of claimants', () => {
  it('returns the changed contributions and all with the same keys, in order, from one list to the next', () => {
    const find = createClaimantFinder(someSharedKey)
    const seen = { others: 0, none: 0 }
    fc.assert(
      fc.property(contributions, fc.array(changes, { minLength: 1, maxLength: 3 }), (all, steps) => {
        let [before, list] = [all, createChunkedList(all)]
        for (const step of steps) {
          const replacements = step
            .filter(([at]) => at < before.length)
            .sort(([a], [b]) => a - b)
            .map(([at, added]) => ({ at, removed: 1, added: added === null ? [] : [added] }))
          const next = replaceItems(list, replacements)
          const after = next.chunks.flatMap(({ items }) => items)
          const { middle, removed, added } = compareContributions(list, next)
          const changed = new Set([...removed, ...added])
          const found = find(next, middle, changed)
          expect(found).toEqual({ before: claimantsOf(before, changed), after: claimantsOf(after, changed) })
          seen[found.before.length > removed.length ? 'others' : 'none']++
          ;[before, list] = [after, next]
        }
      }),
      { numRuns: 40 },
    )
    expect(seen.others).toBeGreaterThan(5)
    expect(seen.none).toBeGreaterThan(0)
  })

  it('reads the keys of unchanged chunks only once', () => {
    let reads = 0
    const find = createClaimantFinder<Contribution>((each, test) => {
      reads++
      return someSharedKey(each, test)
    })
    const all = Array.from({ length: 5_000 }, (_, index): Contribution => ({ keys: [[String(index), 80]] }))
    const readsOf = (before: ReturnType<typeof createChunkedList<Contribution>>, at: number) => {
      const after = replaceItems(before, [{ at, removed: 1, added: [{ keys: [['new', at]] }] }])
      const { middle, removed, added } = compareContributions(before, after)
      reads = 0
      find(after, middle, new Set([...removed, ...added]))
      return { after, reads }
    }
    const first = readsOf(createChunkedList(all), 2_500)
    expect(first.reads).toBeGreaterThan(4_000)
    expect(readsOf(first.after, 1_000).reads).toBeLessThan(1_500)
  })
})
