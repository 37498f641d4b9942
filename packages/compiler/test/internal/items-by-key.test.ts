import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { exchangeItems, type ItemsByKey, itemsAt, type Keyed, NO_ITEMS } from '../../src/internal/items-by-key.js'

const [a, b, c] = ['a', 'b', 'c'].map((name): Keyed<string> => ['key', name]) as [
  Keyed<string>,
  Keyed<string>,
  Keyed<string>,
]

describe('exchangeItems', () => {
  const steps: [string, readonly Keyed<string>[], readonly Keyed<string>[], readonly string[]][] = [
    ['one', [], [a], ['a']],
    ['a second', [], [b], ['a', 'b']],
    ['a third in the place of the first', [a], [c], ['b', 'c']],
    ['nothing in the place of the second', [b], [], ['c']],
    ['another in the place of the only one', [c], [a], ['a']],
    ['nothing in its place', [a], [], []],
  ]

  it('has, one after the other, what came and has not gone', () => {
    let items: ItemsByKey<string> = NO_ITEMS
    for (const [name, removed, added, expected] of steps) {
      items = exchangeItems(items, removed, added)
      expect([name, ...itemsAt(items, 'key')]).toEqual([name, ...expected])
      expect(items.several.has('key')).toBe(expected.length > 1)
    }
  })

  it('comes to what lists come to, whatever comes and goes', () => {
    const names = fc.uniqueArray(fc.nat(12), { maxLength: 9 })
    let several = 0
    fc.assert(
      fc.property(fc.array(names, { maxLength: 8 }), (sets) => {
        const keyed = (item: number): Keyed<number> => [`k${item % 4}`, item]
        let items: ItemsByKey<number> = NO_ITEMS
        let before: readonly number[] = []
        for (const set of sets) {
          const removed = before.filter((item) => !set.includes(item))
          const added = set.filter((item) => !before.includes(item))
          items = exchangeItems(items, removed.map(keyed), added.map(keyed))
          before = [...before.filter((item) => set.includes(item)), ...added]
          for (const key of ['k0', 'k1', 'k2', 'k3']) {
            const expected = before.filter((item) => `k${item % 4}` === key)
            expect(itemsAt(items, key)).toEqual(expected)
            expect(items.several.has(key)).toBe(expected.length > 1)
            if (expected.length > 1) several++
          }
        }
      }),
    )
    expect(several).toBeGreaterThan(50)
  })
})
