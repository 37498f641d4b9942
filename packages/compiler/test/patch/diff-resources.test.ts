import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { diffPairs, diffResources } from '../../src/patch/diff-resources.js'
import { digestOf } from '../../src/patch/digest.js'
import { applyChanges, hasNoChanges, invertChanges, type Patch } from '../../src/patch/patch.js'
import type { Resource, Resources } from '../../src/patch/resource.js'

function list(id: string, value: readonly unknown[], refs: readonly string[] = []): Resource {
  return { id, refs, value }
}

function state(...resources: readonly Resource[]): Resources {
  return new Map(resources.map((resource) => [resource.id, resource]))
}

describe('diffResources', () => {
  it.each<[string, Resource, Resource, unknown]>([
    [
      'edits a list if most of its items stay',
      list('a', [1, 2, 3], ['x', 'y']),
      list('a', [1, 3], ['x', 'x', 'z']),
      {
        kind: 'edit',
        id: 'a',
        refsRemoved: ['y'],
        refsAdded: ['x', 'z'],
        splices: [{ at: 1, removed: [2], inserted: [] }],
      },
    ],
    [
      'edits the references of a list',
      list('a', [1], ['x', 'x']),
      list('a', [1], ['x']),
      { kind: 'edit', id: 'a', refsRemoved: ['x'], refsAdded: [], splices: [] },
    ],
    [
      'replaces a list if most of its items change',
      list('a', [1, 2]),
      list('a', [1, 3]),
      { kind: 'update', id: 'a', before: list('a', [1, 2]), after: list('a', [1, 3]) },
    ],
    [
      'replaces a value that is not a list completely',
      { id: 'a', refs: [], value: { x: [1] } },
      { id: 'a', refs: [], value: { x: [2] } },
      {
        kind: 'update',
        id: 'a',
        before: { id: 'a', refs: [], value: { x: [1] } },
        after: { id: 'a', refs: [], value: { x: [2] } },
      },
    ],
    [
      'replaces a list by a value that is not a list',
      list('a', []),
      { id: 'a', refs: [], value: 'x' },
      { kind: 'update', id: 'a', before: list('a', []), after: { id: 'a', refs: [], value: 'x' } },
    ],
  ])('%s', (_, before, after, change) => {
    expect(diffResources(state(before), state(after)).changes).toEqual([change])
  })

  it('returns the digests of both states', () => {
    const before = state(list('a', [1]))
    const after = state(list('b', [1]))
    expect(diffResources(before, after)).toEqual({
      from: digestOf(before),
      to: digestOf(after),
      changes: [
        { kind: 'create', resource: list('b', [1]) },
        { kind: 'delete', resource: list('a', [1]) },
      ],
    })
  })

  it('returns no changes for equal resources', () => {
    expect(diffPairs([{ before: list('a', [{}]), after: list('a', [{}]) }, {}])).toEqual([])
    expect(diffPairs([{ before: { id: 'a', refs: [], value: 1 }, after: { id: 'a', refs: [], value: 1 } }])).toEqual([])
  })
})

const ids = ['a', 'b', 'c', 'd', 'e']
const values = fc.oneof(
  fc.array(fc.nat({ max: 4 }), { maxLength: 6 }),
  fc.dictionary(fc.constantFrom('x', 'y'), fc.nat({ max: 2 })),
)

/** Generates states with references to later existing ids only, so that there are no cycles. */
const states: fc.Arbitrary<Resources> = fc
  .subarray(ids)
  .chain((chosen) =>
    fc.tuple(
      ...chosen.map((id, index) =>
        fc.record({
          id: fc.constant(id),
          refs: fc
            .array(fc.constantFrom(...chosen.slice(index + 1), 'elsewhere'), { maxLength: 3 })
            .map((refs) => refs.sort()),
          value: values,
        }),
      ),
    ),
  )
  .map((resources) => state(...resources))

describe('diffResources for arbitrary states', () => {
  it('returns an invertible patch from one state to the other, even after a JSON round trip', () => {
    fc.assert(
      fc.property(states, states, (a, b) => {
        const patch = diffResources(a, b)
        expect(applyChanges(a, patch)).toEqual(b)
        expect(applyChanges(b, invertChanges(patch))).toEqual(a)
        expect(invertChanges(invertChanges(patch))).toEqual(patch)
        expect(JSON.parse(JSON.stringify(patch))).toEqual(patch)
      }),
    )
  })

  it('returns no changes from a state to itself or to a copy of it', () => {
    fc.assert(
      fc.property(states, (a) => {
        expect(hasNoChanges(diffResources(a, a))).toBe(true)
        expect(hasNoChanges(diffResources(a, new Map(structuredClone([...a]))))).toBe(true)
      }),
    )
  })

  it('returns a patch with the same effect as two patches through an intermediate state', () => {
    fc.assert(
      fc.property(states, states, states, (a, b, c) => {
        expect(applyChanges(applyChanges(a, diffResources(a, b)), diffResources(b, c))).toEqual(
          applyChanges(a, diffResources(a, c)),
        )
      }),
    )
  })

  it('orders changes so that the target of a reference is never missing', () => {
    fc.assert(
      fc.property(states, states, (a, b) => {
        const patch = diffResources(a, b)
        const steps = patch.changes.map((_, index) => patch.changes.slice(0, index + 1))
        for (const changes of steps) expect(dangling(applyChanges(a, { ...patch, changes }))).toEqual([])
      }),
    )
  })

  it('returns a patch with an inverse that leaves no dangling reference', () => {
    fc.assert(
      fc.property(states, states, (a, b) => {
        const patch: Patch = invertChanges(diffResources(a, b))
        const steps = patch.changes.map((_, index) => patch.changes.slice(0, index + 1))
        for (const changes of steps) expect(dangling(applyChanges(b, { ...patch, changes }))).toEqual([])
      }),
    )
  })
})

function dangling(resources: Resources): readonly string[] {
  return [...resources.values()].flatMap(({ refs }) => refs.filter((ref) => ref !== 'elsewhere' && !resources.has(ref)))
}
