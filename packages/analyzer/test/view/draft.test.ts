import { expect, it } from 'vitest'
import { buildView, concatViews, createViewDraft } from '../../src/view/draft.js'

it('a draft assigns a path to each node', () => {
  const view = buildView([
    createViewDraft('diagnosis', 'a'),
    createViewDraft('diagnosis', 'b', { children: [createViewDraft('cause', 'c'), createViewDraft('steps', 'd')] }),
  ])
  expect(view.map(({ id }) => id)).toEqual(['0', '1'])
  expect(view[1]?.children.map(({ id }) => id)).toEqual(['1.0', '1.1'])
})

it('a draft keeps each label on one line, and omits undefined fields', () => {
  expect(
    buildView([createViewDraft('frontend', 'a\nb', { cells: ['\u001b[31m'], servicePort: '', share: undefined })]),
  ).toStrictEqual([
    {
      ...{ id: '0', kind: 'frontend', label: 'a\\u000ab', severity: 'none', isBranch: false },
      ...{ cells: ['\\u001b[31m'], objects: [], rules: [], children: [] },
    },
  ])
})

it('a draft joins views with separate ids, and keeps their labels', () => {
  const one = buildView([createViewDraft('diagnosis', 'a\n', { children: [createViewDraft('cause', 'b')] })])
  const joined = concatViews([one, one])
  expect(joined.map(({ id, label }) => [id, label])).toEqual([
    ['0', 'a\\u000a'],
    ['1', 'a\\u000a'],
  ])
  expect(joined[1]?.children[0]?.id).toBe('1.0')
})
