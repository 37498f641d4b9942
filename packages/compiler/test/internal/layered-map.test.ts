import fc from 'fast-check'
import { expect, it } from 'vitest'
import { EMPTY_MAP, getValue, type LayeredMap, withValues } from '../../src/internal/layered-map.js'

const keys = Array.from({ length: 520 }, (_, index) => `k${index}`)
const edits = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.array(fc.tuple(fc.constantFrom(...keys), fc.option(fc.nat(9), { nil: undefined }))) },
    // More changes than the map keeps, so that it merges them into the base.
    fc.nat(9).map((value) => keys.map((key, index) => [key, index % 3 === 0 ? undefined : value] as const)),
  ),
  { maxLength: 6 },
)

it('each version of a layered map has the same values as a Map after the same edits', () => {
  let layers = 0
  fc.assert(
    fc.property(edits, (steps) => {
      const made: (readonly [LayeredMap<number>, ReadonlyMap<string, number>])[] = []
      let map: LayeredMap<number> = EMPTY_MAP
      const plain = new Map<string, number>()
      for (const step of steps) {
        map = withValues(map, new Map(step))
        for (const [key, value] of new Map(step)) {
          if (value === undefined) plain.delete(key)
          else plain.set(key, value)
        }
        made.push([map, new Map(plain)])
        if (map.base.size > 0 && map.changes.size > 0) layers++
      }
      for (const [layered, expected] of made) {
        expect(keys.map((key) => getValue(layered, key))).toEqual(keys.map((key) => expected.get(key)))
      }
    }),
    { numRuns: 60 },
  )
  expect(layers).toBeGreaterThan(5)
})
