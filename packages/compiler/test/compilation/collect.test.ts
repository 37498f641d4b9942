import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { collect } from '../../src/compilation/collect.js'

describe('collect', () => {
  it('gives the lists of all items, one after the other', () => {
    const lists: readonly (readonly number[])[] = [[], [1], [], [2, 3]]
    expect(collect(lists, (list) => list)).toEqual([1, 2, 3])
    expect(collect([], () => [1])).toEqual([])
  })

  it('leaves nothing out', () => {
    fc.assert(
      fc.property(fc.array(fc.array(fc.anything())), (lists) => {
        expect(collect(lists, (list) => list)).toEqual(lists.flat())
      }),
    )
  })
})
