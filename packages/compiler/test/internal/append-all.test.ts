import { expect, it } from 'vitest'
import { appendAll } from '../../src/internal/append-all.js'

it('appendAll accepts any number of items', () => {
  const list = [-1]
  appendAll(
    list,
    Array.from({ length: 300_000 }, (_, index) => index),
  )
  expect(list).toHaveLength(300_001)
  expect(list.slice(0, 3)).toEqual([-1, 0, 1])
})
