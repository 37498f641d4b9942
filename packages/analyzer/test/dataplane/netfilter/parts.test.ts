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
      { ...a, ports: [], following: 1 },
      { ...c, ports: [], following: 2 },
      { ...d, ports: [], following: 2 },
    ],
  })
})

it('createStatePartition shares content that a port selects, except ports that may select a part', () => {
  const contents = [
    { ...contentOf('a', ['10.0.0.1']), ports: [30080] },
    { ...contentOf('b', []), ports: [30081, 8080] },
  ]
  expect(createStatePartition([], contents)).toEqual({ shared: ['of a', 'of b'], parts: [] })
  const { shared, parts } = createStatePartition([], contents, (port) => port >= 30_000)
  expect(shared).toEqual(['of b'])
  expect(parts.map(({ owners, ports }) => ({ owners, ports }))).toEqual([{ owners: ['a'], ports: [30080] }])
})

it('createStatePartition does not mutate the shared rules', () => {
  const fixed = ['fixed']
  expect(createStatePartition(fixed, [contentOf('b', undefined)]).shared).toHaveLength(2)
  expect(fixed).toEqual(['fixed'])
})
