import { expect, test } from 'vitest'
import { readExamples } from '../../builder/gallery.js'
import { fromColumns, toColumns } from '../../src/question/gallery-columns.js'

test('toColumns sorts the values of a field by length, with the number of each example', () => {
  expect(toColumns([{ name: 'long', dump: 'abc' }, { name: 'b' }, { name: 'of', dump: 'x' }])).toEqual({
    name: [
      [1, 'b'],
      [2, 'of'],
      [0, 'long'],
    ],
    dump: [
      [2, 'x'],
      [0, 'abc'],
    ],
  })
})

test('fromColumns restores every example in its order', () => {
  const rows = readExamples().map(({ question, ...example }) => ({ ...example, ...question }))
  expect(rows.length).toBeGreaterThan(30)
  expect(fromColumns(toColumns(rows))).toEqual(rows)
})
