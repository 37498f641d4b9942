import { describe, expect, it } from 'vitest'
import { diffResources } from '../../src/patch/diff-resources.js'
import { applyChanges, type Change, invertChanges } from '../../src/patch/patch.js'
import type { Resource } from '../../src/patch/resource.js'

const a: Resource = { id: 'a', refs: [], value: [1, 2, 3] }
const b: Resource = { id: 'b', refs: [], value: 'x' }

function edit(id: string, removed: readonly unknown[]): Change {
  return { kind: 'edit', id, refsRemoved: [], refsAdded: [], splices: [{ at: 0, removed, inserted: [] }] }
}

describe('applyChanges', () => {
  it.each<[string, Change]>([
    ['the creation of an existing resource', { kind: 'create', resource: a }],
    ['the deletion of a missing resource', { kind: 'delete', resource: { ...a, id: 'c' } }],
    ['the deletion of a different resource', { kind: 'delete', resource: { ...a, value: [] } }],
    ['the update of a different resource', { kind: 'update', id: 'a', before: { ...a, value: [] }, after: a }],
    ['the edit of a missing resource', edit('c', [])],
    ['the edit of a value that is not a list', edit('b', [])],
    ['the edit of other items', edit('a', [2])],
  ])('rejects %s', (_, change) => {
    const state = new Map([a, b].map((resource) => [resource.id, resource]))
    expect(() => applyChanges(state, { from: '', to: '', changes: [change] })).toThrow('does not fit the state')
  })

  it('does not change its arguments', () => {
    const state = new Map([['a', a]])
    const patch = diffResources(state, new Map([['a', { ...a, value: [1, 3, 4] }]]))
    applyChanges(state, patch)
    expect([...state.values()]).toEqual([{ id: 'a', refs: [], value: [1, 2, 3] }])
  })
})

describe('invertChanges', () => {
  it('inverts every kind of change', () => {
    const patch = {
      from: 'FROM',
      to: 'TO',
      changes: [
        { kind: 'create', resource: b },
        {
          kind: 'edit',
          id: 'a',
          refsRemoved: ['x'],
          refsAdded: ['b'],
          splices: [
            { at: 0, removed: [], inserted: [7, 8] },
            { at: 2, removed: [3], inserted: [] },
          ],
        },
        { kind: 'delete', resource: { ...b, id: 'x' } },
      ],
    } as const
    expect(invertChanges(patch)).toEqual({
      from: 'TO',
      to: 'FROM',
      changes: [
        { kind: 'create', resource: { ...b, id: 'x' } },
        {
          kind: 'edit',
          id: 'a',
          refsRemoved: ['b'],
          refsAdded: ['x'],
          splices: [
            { at: 0, removed: [7, 8], inserted: [] },
            { at: 4, removed: [], inserted: [3] },
          ],
        },
        { kind: 'delete', resource: b },
      ],
    })
  })
})
