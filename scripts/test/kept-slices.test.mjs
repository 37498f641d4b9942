import { describe, expect, it } from 'vitest'
import { withKeptSlices } from '../conformance/kept-slices.mjs'

const slice = (service, name = 's1') => ({
  kind: 'EndpointSlice',
  metadata: { namespace: 'a', name, labels: service === undefined ? {} : { 'kubernetes.io/service-name': service } },
})
const caseOf = (...steps) => ({ name: 'case', steps: steps.map((objects) => ({ objects })) })
const namesIn = (conformanceCase) =>
  conformanceCase?.steps.map(({ objects }) =>
    objects.map(({ metadata }) => `${metadata.name} ${metadata.labels['kubernetes.io/service-name']}`),
  )

describe('withKeptSlices', () => {
  it('adds a copy of a slice for its former Service if its label changes, even after the slice is deleted', () => {
    expect(namesIn(withKeptSlices(caseOf([slice('web')], [slice('shop')], [])))).toEqual([
      ['s1 web'],
      ['s1 shop', 's1.of.web web'],
      ['s1.of.web web'],
    ])
  })

  it('adds a copy of a slice that loses its label, even after the slice is deleted', () => {
    expect(namesIn(withKeptSlices(caseOf([slice('web')], [slice()], [])))).toEqual([
      ['s1 web'],
      ['s1 undefined', 's1.of.web web'],
      ['s1.of.web web'],
    ])
  })

  it('adds no copy of a slice that returns to its former Service', () => {
    expect(namesIn(withKeptSlices(caseOf([slice('web')], [slice('shop')], [slice('web')])))?.[2]).toEqual([
      's1 web',
      's1.of.shop shop',
    ])
  })

  it.each([
    ['changes no label', [slice('web')], [slice('web'), slice('shop', 's2')], [slice('shop', 's2')]],
    ['has no slices', [], []],
  ])('returns no case if it %s', (_, ...steps) => {
    expect(withKeptSlices(caseOf(...steps))).toBeUndefined()
  })
})
