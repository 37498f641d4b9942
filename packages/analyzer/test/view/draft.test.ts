import { expect, it } from 'vitest'
import { draft, joinViews, viewOf } from '../../src/view/draft.js'

it('gives each node the path to it', () => {
  const view = viewOf([
    draft('answer', 'a'),
    draft('answer', 'b', { children: [draft('why', 'c'), draft('steps', 'd')] }),
  ])
  expect(view.map(({ id }) => id)).toEqual(['0', '1'])
  expect(view[1]?.children.map(({ id }) => id)).toEqual(['1.0', '1.1'])
})

it('keeps words to their line, and leaves out what is not known', () => {
  expect(
    viewOf([draft('frontend', 'a\nb', { cells: ['\u001b[31m'], servicePort: '', share: undefined })]),
  ).toStrictEqual([
    {
      ...{ id: '0', kind: 'frontend', label: 'a\\u000ab', severity: 'none', isBranch: false },
      ...{ cells: ['\\u001b[31m'], objects: [], rules: [], children: [] },
    },
  ])
})

it('joins views, with ids of their own and the same words', () => {
  const one = viewOf([draft('answer', 'a\n', { children: [draft('why', 'b')] })])
  const joined = joinViews([one, one])
  expect(joined.map(({ id, label }) => [id, label])).toEqual([
    ['0', 'a\\u000a'],
    ['1', 'a\\u000a'],
  ])
  expect(joined[1]?.children[0]?.id).toBe('1.0')
})
