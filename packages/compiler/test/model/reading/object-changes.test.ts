import type { Service } from '@kube-rules/types'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { CompileInput } from '../../../src/compilation/compile-result.js'
import { readObjectLists } from '../../../src/compilation/snapshot.js'
import {
  diffObjectLists,
  hasNoObjectChanges,
  NO_OBJECTS,
  type ObjectLists,
} from '../../../src/model/reading/object-changes.js'

const OBJECTS: readonly Service[] = Array.from({ length: 6 }, (_, index) => ({ metadata: { name: `s${index}` } }))
const [A, B, C, D] = OBJECTS as [Service, Service, Service, Service, ...Service[]]

function services(...list: readonly Service[]): ObjectLists {
  return readObjectLists({ services: list }, NO_OBJECTS)
}

/** Builds object lists. The kind of the objects does not matter, because the comparison uses their identity. */
function lists(...[services, endpointSlices, endpoints]: readonly (readonly Service[])[]): ObjectLists {
  const input = { services, endpointSlices, endpoints } as unknown as CompileInput
  return readObjectLists(input, NO_OBJECTS)
}

function serviceChanges(before: readonly Service[], after: readonly Service[]) {
  const { removed, added } = diffObjectLists(services(...before), services(...after)).services
  return { removed, added }
}

describe('diffObjectLists', () => {
  it.each<[string, readonly Service[], readonly Service[], readonly Service[], readonly Service[]]>([
    ['equal lists', [A, B], [A, B], [], []],
    ['the same objects in another order', [A, B, C], [C, A, B], [], []],
    ['an object that is added at the end', [A], [A, B], [], [B]],
    ['an object that is added at the start', [A], [B, A], [], [B]],
    ['a removed object', [A, B, C], [A, C], [B], []],
    ['an object that is replaced in its position', [A, B, C], [A, D, C], [B], [D]],
    ['an object that is replaced while others move', [A, B, C], [C, D, A], [B], [D]],
    ['an added duplicate', [A, B], [A, B, A], [], [A]],
    ['an added duplicate and another order', [A, B], [B, A, A], [], [A]],
    ['a duplicate instead of another object', [A, B, C], [B, A, A], [C], [A]],
    ['a removed duplicate', [A, A, B], [B, A], [A], []],
  ])('returns the removed and added objects for %s', (_, before, after, removed, added) => {
    expect(serviceChanges(before, after)).toEqual({ removed, added })
  })

  it('compares objects by identity, not by contents', () => {
    const copy = { ...A }
    const { removed, added } = serviceChanges([A], [copy])
    expect(removed[0]).toBe(A)
    expect(added[0]).toBe(copy)
  })

  it('returns the changes of Services, slices and Endpoints', () => {
    const before = lists([A], [B], [C])
    const after = lists([B], [C], [A])
    const change = (removed: unknown, added: unknown) => ({
      removed: [removed],
      added: [added],
      list: [added],
      isSame: false,
    })
    expect(diffObjectLists(before, after)).toEqual({
      services: change(A, B),
      endpointSlices: change(B, C),
      endpoints: change(C, A),
    })
  })

  it('for two arbitrary lists returns as many duplicates as were added or removed', () => {
    const some = fc.array(fc.constantFrom(...OBJECTS), { maxLength: 10 })
    const count = (list: readonly Service[], object: Service) => list.filter((each) => each === object).length
    fc.assert(
      fc.property(some, some, (before, after) => {
        const { removed, added } = serviceChanges(before, after)
        for (const object of OBJECTS) {
          const more = count(after, object) - count(before, object)
          expect(count(added, object)).toBe(Math.max(more, 0))
          expect(count(removed, object)).toBe(Math.max(-more, 0))
        }
      }),
    )
  })
})

describe('hasNoObjectChanges', () => {
  const all = lists([A, B], [A, B], [A, B])

  it('returns true if all objects are identical and in the same positions', () => {
    expect(hasNoObjectChanges(diffObjectLists(all, all))).toBe(true)
    expect(hasNoObjectChanges(diffObjectLists(all, { ...all, services: [A, B] }))).toBe(true)
    expect(hasNoObjectChanges(diffObjectLists(all, structuredClone(all)))).toBe(false)
    expect(hasNoObjectChanges(diffObjectLists(NO_OBJECTS, NO_OBJECTS))).toBe(true)
  })

  it.each(['services', 'endpointSlices', 'endpoints'])('returns false if the order or number of %s differs', (kind) => {
    expect(hasNoObjectChanges(diffObjectLists(all, { ...all, [kind]: [B, A] }))).toBe(false)
    expect(hasNoObjectChanges(diffObjectLists(all, { ...all, [kind]: [A] }))).toBe(false)
  })
})
