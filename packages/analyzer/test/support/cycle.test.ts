import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '../../../compiler/test/support/runs.js'
import { findCycle } from './cycle.js'

type Edge = readonly [from: number, to: number]

function cycleIn(edges: readonly Edge[]): readonly number[] | undefined {
  return findCycle(
    edges.map(([from]) => from),
    edges.map(([, to]) => to),
  )
}

/** Nodes 0 to 5. */
const graphs = fc.array(fc.tuple(fc.nat(5), fc.nat(5)), { maxLength: 10 })

/** Reports whether some node reaches itself, by computing the transitive closure of the edges. */
function hasCycle(edges: readonly Edge[]): boolean {
  const reached = new Set(edges.map(([from, to]) => `${from} ${to}`))
  for (let size = -1; size !== reached.size; ) {
    size = reached.size
    for (const [from, to] of edges)
      for (let end = 0; end < 6; end++) if (reached.has(`${to} ${end}`)) reached.add(`${from} ${end}`)
  }
  return [0, 1, 2, 3, 4, 5].some((node) => reached.has(`${node} ${node}`))
}

describe('findCycle', () => {
  it.each<[string, readonly Edge[], readonly number[] | undefined]>([
    ['nothing', [], undefined],
    [
      'a path',
      [
        [0, 1],
        [1, 2],
      ],
      undefined,
    ],
    [
      'two paths to one node',
      [
        [0, 1],
        [0, 2],
        [1, 3],
        [2, 3],
      ],
      undefined,
    ],
    ['a node with an edge to itself', [[4, 4]], [4, 4]],
    [
      'two nodes',
      [
        [0, 1],
        [1, 0],
      ],
      [0, 1, 0],
    ],
    [
      'a node with a path to a cycle',
      [
        [0, 1],
        [1, 2],
        [2, 1],
      ],
      [1, 2, 1],
    ],
    [
      'a cycle after dead ends',
      [
        [0, 1],
        [0, 2],
        [2, 3],
        [3, 0],
      ],
      [0, 2, 3, 0],
    ],
    [
      'a cycle that the first nodes do not reach',
      [
        [0, 1],
        [2, 1],
        [2, 3],
        [3, 2],
      ],
      [2, 3, 2],
    ],
  ])('returns the cycle or undefined if the graph has %s', (_, edges, cycle) => {
    expect(cycleIn(edges)).toEqual(cycle)
  })

  it('finds a cycle if and only if one exists, and returns existing edges', () => {
    fc.assert(
      fc.property(graphs, (edges) => {
        const cycle = cycleIn(edges)
        expect(cycle !== undefined).toBe(hasCycle(edges))
        const known = new Set(edges.map(([from, to]) => `${from} ${to}`))
        for (const [index, node] of (cycle ?? []).slice(1).entries())
          expect(known).toContain(`${cycle?.[index]} ${node}`)
        expect(cycle?.at(-1)).toBe(cycle?.[0])
      }),
      { numRuns: runs(500) },
    )
  })
})
