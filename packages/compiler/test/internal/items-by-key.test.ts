import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  findItems,
  type ItemsByKey,
  type KeyedItem,
  NO_ITEMS,
  replaceKeyedItems,
} from '../../src/internal/items-by-key.js'

interface Item extends KeyedItem {
  readonly name: string
}

const [a, b, c] = ['a', 'b', 'c'].map((name): Item => ({ key: 'key', name })) as [Item, Item, Item]
const namesAt = (items: ItemsByKey<Item>, key: string) => findItems(items, key).map(({ name }) => name)

describe('replaceKeyedItems', () => {
  const steps: [string, readonly Item[], readonly Item[], readonly string[]][] = [
    ['one', [], [a], ['a']],
    ['a second item', [], [b], ['a', 'b']],
    ['a third item instead of the first', [a], [c], ['b', 'c']],
    ['nothing instead of the second', [b], [], ['c']],
    ['another item instead of the only one', [c], [a], ['a']],
    ['nothing instead of it', [a], [], []],
  ]

  it('removes and adds items of a key, in order', () => {
    let items: ItemsByKey<Item> = NO_ITEMS
    for (const [name, removed, added, expected] of steps) {
      items = replaceKeyedItems(items, removed, added)
      expect([name, ...namesAt(items, 'key')]).toEqual([name, ...expected])
      expect(items.several.has('key')).toBe(expected.length > 1)
    }
  })

  it('has the same items for each key as a plain list after arbitrary additions and removals', () => {
    const all = Array.from({ length: 13 }, (_, index): Item => ({ key: `k${index % 4}`, name: `${index}` }))
    const some = fc.shuffledSubarray(all, { maxLength: 9 })
    let several = 0
    fc.assert(
      fc.property(fc.array(some, { maxLength: 8 }), (sets) => {
        let items: ItemsByKey<Item> = NO_ITEMS
        let before: readonly Item[] = []
        for (const set of sets) {
          const removed = before.filter((item) => !set.includes(item))
          const added = set.filter((item) => !before.includes(item))
          items = replaceKeyedItems(items, removed, added)
          before = [...before.filter((item) => set.includes(item)), ...added]
          for (const key of ['k0', 'k1', 'k2', 'k3']) {
            const expected = before.filter((item) => item.key === key)
            expect(findItems(items, key)).toEqual(expected)
            expect(items.several.has(key)).toBe(expected.length > 1)
            if (expected.length > 1) several++
          }
        }
      }),
      { numRuns: 100 },
    )
    expect(several).toBeGreaterThan(50)
  })
})
