import { describe, expect, it } from 'vitest'
import { orderChanges, sortByReferences } from '../../src/patch/order.js'
import type { Resource } from '../../src/patch/resource.js'

function resource(id: string, ...refs: readonly string[]): Resource {
  return { id, refs, value: [] }
}

function idsOf(resources: readonly Resource[]): string {
  return resources.map(({ id }) => id).join(' ')
}

describe('sortByReferences', () => {
  it.each([
    ['keeps the given order if there are no references', [resource('b'), resource('a')], 'b a'],
    [
      'follows references through several steps',
      [resource('a', 'b', 'c'), resource('b', 'd'), resource('c'), resource('d')],
      'd b c a',
    ],
    [
      'returns a common dependency once, before its dependents',
      [resource('a', 'c'), resource('b', 'c'), resource('c')],
      'c a b',
    ],
    ['ignores references to unknown resources', [resource('a', 'elsewhere'), resource('b')], 'a b'],
    ['returns each resource of a cycle once', [resource('a', 'b'), resource('b', 'a')], 'b a'],
    ['ignores a reference of a resource to itself', [resource('a', 'a')], 'a'],
  ])('%s', (_, resources, ids) => {
    expect(idsOf(sortByReferences(resources))).toBe(ids)
  })

  it('returns dependencies first, and sorts a long chain of references without recursion', () => {
    const chain = Array.from({ length: 20_000 }, (_, index) => resource(String(index), String(index + 1)))
    expect(sortByReferences(chain)).toEqual([...chain].reverse())
  })
})

describe('orderChanges', () => {
  it('orders creations from dependency to dependent, then updates, then deletions in reverse order', () => {
    const update = { kind: 'update', id: 'u', before: resource('u'), after: resource('u', 'new') } as const
    const changes = orderChanges([
      { kind: 'delete', resource: resource('old', 'older') },
      { kind: 'delete', resource: resource('older') },
      update,
      { kind: 'create', resource: resource('new', 'newer') },
      { kind: 'create', resource: resource('newer') },
    ])
    expect(changes.map((change) => `${change.kind} ${'id' in change ? change.id : change.resource.id}`)).toEqual([
      'create newer',
      'create new',
      'update u',
      'delete old',
      'delete older',
    ])
  })
})
