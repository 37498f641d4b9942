import type { Service } from '@kube-rules/types'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { changesBetween, isSameOrder, isUnchanged, type ObjectLists } from '../../src/compilation/object-changes.js'

const OBJECTS: readonly Service[] = Array.from({ length: 6 }, (_, index) => ({ metadata: { name: `s${index}` } }))
const [A, B, C, D] = OBJECTS as [Service, Service, Service, Service, ...Service[]]

function services(...list: readonly Service[]): ObjectLists {
  return { services: list, endpointSlices: [], endpoints: [] }
}

function serviceChanges(before: readonly Service[], after: readonly Service[]) {
  const { removed, added } = changesBetween(services(...before), services(...after))
  return { removed: removed.services, added: added.services }
}

describe('changesBetween', () => {
  it.each<[string, readonly Service[], readonly Service[], readonly Service[], readonly Service[]]>([
    ['nothing', [A, B], [A, B], [], []],
    ['nothing in lists of another order', [A, B, C], [C, A, B], [], []],
    ['an object that comes last', [A], [A, B], [], [B]],
    ['an object that comes first', [A], [B, A], [], [B]],
    ['an object that goes', [A, B, C], [A, C], [B], []],
    ['an object that changes in its place', [A, B, C], [A, D, C], [B], [D]],
    ['one that changes while others move', [A, B, C], [C, D, A], [B], [D]],
    ['an object that is given again', [A, B], [A, B, A], [], [A]],
    ['an object that is given again in a list of another order', [A, B], [B, A, A], [], [A]],
    ['an object that is given again in the place of another', [A, B, C], [B, A, A], [C], [A]],
    ['an object that is given once in place of twice', [A, A, B], [B, A], [A], []],
  ])('finds %s', (_, before, after, removed, added) => {
    expect(serviceChanges(before, after)).toEqual({ removed, added })
  })

  it('tells objects apart by identity, not by what they say', () => {
    const copy = { ...A }
    const { removed, added } = serviceChanges([A], [copy])
    expect(removed[0]).toBe(A)
    expect(added[0]).toBe(copy)
  })

  it('finds changes of every kind', () => {
    const before = { services: [A], endpointSlices: [B], endpoints: [C] } as unknown as ObjectLists
    const after = { services: [B], endpointSlices: [C], endpoints: [A] } as unknown as ObjectLists
    expect(changesBetween(before, after)).toEqual({ removed: before, added: after })
  })

  it('finds what is there more often after than before, and the other way round', () => {
    const lists = fc.array(fc.constantFrom(...OBJECTS), { maxLength: 10 })
    const count = (list: readonly Service[], object: Service) => list.filter((each) => each === object).length
    fc.assert(
      fc.property(lists, lists, (before, after) => {
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

describe('isUnchanged', () => {
  it('looks at every kind, both ways', () => {
    const none: ObjectLists = { services: [], endpointSlices: [], endpoints: [] }
    expect(isUnchanged({ removed: none, added: none })).toBe(true)
    for (const kind of ['services', 'endpointSlices', 'endpoints']) {
      const one = { ...none, [kind]: [A] }
      expect(isUnchanged({ removed: one, added: none })).toBe(false)
      expect(isUnchanged({ removed: none, added: one })).toBe(false)
    }
  })
})

describe('isSameOrder', () => {
  it('is of identical objects in the same places, of every kind', () => {
    const lists = { services: [A, B], endpointSlices: [A, B], endpoints: [A, B] } as unknown as ObjectLists
    expect(isSameOrder(lists, structuredClone(lists))).toBe(false)
    expect(isSameOrder(lists, { ...lists, services: [A, B] })).toBe(true)
    for (const kind of ['services', 'endpointSlices', 'endpoints']) {
      expect(isSameOrder(lists, { ...lists, [kind]: [B, A] })).toBe(false)
      expect(isSameOrder(lists, { ...lists, [kind]: [A] })).toBe(false)
    }
  })
})
