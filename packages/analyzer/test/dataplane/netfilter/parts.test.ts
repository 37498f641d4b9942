import { expect, it } from 'vitest'
import { createStatePartition } from '../../../src/dataplane/netfilter/parts.js'

const contentOf = (owner: string, destinations: readonly string[] | undefined) => {
  const value = () => `of ${owner}`
  return { owners: [owner], value, source: value, destinations, names: [`CHAIN-${owner}`] }
}

it('createStatePartition returns each part with the number of shared rules before it', () => {
  const [a, b, c, d] = [
    contentOf('a', ['10.0.0.1']),
    contentOf('b', undefined),
    contentOf('c', []),
    contentOf('d', ['10.0.0.2', '10.0.0.1']),
  ]
  expect(createStatePartition(['fixed'], [a, b, c, d])).toEqual({
    shared: ['fixed', 'of b'],
    parts: [
      { ...a, following: 1 },
      { ...c, following: 2 },
      { ...d, following: 2 },
    ],
  })
})

it('createStatePartition does not mutate the shared rules', () => {
  const fixed = ['fixed']
  expect(createStatePartition(fixed, [contentOf('b', undefined)]).shared).toHaveLength(2)
  expect(fixed).toEqual(['fixed'])
})
