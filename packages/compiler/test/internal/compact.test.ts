import { expect, it } from 'vitest'
import { compact } from '../../src/internal/compact.js'

it('compact copies the items of a list, and returns one shared empty list', () => {
  const list = [1, 2]
  expect(compact(list)).toEqual([1, 2])
  expect(compact(list)).not.toBe(list)
  expect(compact([])).toBe(compact([]))
})
