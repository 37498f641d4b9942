import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createClaimIndex, findClaimants, updateClaimIndex } from '../../src/patch/claim-index.js'

interface Contribution {
  readonly name: number
  readonly keys: readonly string[]
}

const sharedKeysOf = ({ keys }: Contribution) => keys

/** Generates contributions with keys that other contributions often have, too, and that may repeat. */
const keys = fc.array(
  fc.nat({ max: 20 }).map((number) => `10.96.0.${number},tcp:80`),
  { maxLength: 4 },
)
const lists = fc.array(keys, { maxLength: 60 })
const steps = fc.array(fc.record({ removed: fc.array(fc.nat(), { maxLength: 3 }), added: lists }), { maxLength: 4 })

it('an index derived from other indexes finds all contributions with a key, like a search of the list', () => {
  let others = 0
  fc.assert(
    fc.property(lists, steps, fc.array(keys, { minLength: 1, maxLength: 3 }), (first, changes, wanted) => {
      let name = 0
      const create = (own: readonly string[]): Contribution => ({ name: name++, keys: own })
      let list = first.map(create)
      let index = createClaimIndex(list, sharedKeysOf)
      const versions = [{ list, index }]
      for (const step of changes) {
        const removed = list.filter((_, place) => step.removed.some((each) => each % list.length === place))
        const added = step.added.map(create)
        index = updateClaimIndex(index, removed, added, sharedKeysOf)
        list = [...list.filter((each) => !removed.includes(each)), ...added]
        versions.push({ list, index })
      }
      for (const version of versions) {
        const found = findClaimants(version.index, wanted.map(create), sharedKeysOf)
        const expected = version.list.filter((each) => each.keys.some((key) => wanted.flat().includes(key)))
        if (expected.length > 1) others++
        expect(new Set([...found].map((each) => each.name))).toEqual(new Set(expected.map((each) => each.name)))
      }
    }),
  )
  expect(others).toBeGreaterThan(20)
})
