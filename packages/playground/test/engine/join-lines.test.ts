import { array, assert, constantFrom, integer, property, tuple } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { joinLines } from '../../src/engine/join-lines.js'

const NAMES = ['a', 'b', 'c']
const lines = Array.from({ length: 300 }, (_, index) => ({
  text: `line ${index}`.repeat(index % 3),
  servicePort: NAMES[index % 4] ?? '',
}))

describe('joinLines', () => {
  it('returns each line and the number of its service port', () => {
    const { text, owners } = joinLines([...lines.slice(1, 4)], NAMES)
    expect(text).toBe('line 1\nline 2line 2\n\n')
    expect([...owners]).toEqual([2, 3, 0])
  })

  it('returns the same text with earlier lines as without earlier lines', () => {
    const edit = tuple(integer({ min: 0, max: 300 }), integer({ min: 0, max: 60 }), integer({ min: 0, max: 60 }))
    const names = constantFrom(NAMES, NAMES.slice(1))
    assert(
      property(array(tuple(array(edit, { maxLength: 4 }), names), { maxLength: 4 }), (versions) => {
        let earlier = joinLines(lines, NAMES)
        let current = lines
        for (const [edits, own] of versions) {
          for (const [at, removed, added] of edits) {
            const inserted = lines.slice(0, added).map((line) => ({ ...line }))
            current = [...current.slice(0, at), ...inserted, ...current.slice(at + removed)]
          }
          earlier = joinLines(current, own, earlier)
          expect(earlier).toEqual(joinLines(current, own))
        }
      }),
    )
  })
})
