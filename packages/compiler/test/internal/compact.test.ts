import { expect, it } from 'vitest'
import { compact } from '../../src/internal/compact.js'

it('has the items of a list, and is one for all empty ones', () => {
  const list = [1, 2]
  expect(compact(list)).toEqual([1, 2])
  expect(compact(list)).not.toBe(list)
  expect(compact([])).toBe(compact([]))
})
