import type { EndpointSlice, Endpoints, Service } from '@kube-rules/types'
import { describe, expect, it } from 'vitest'
import { compileContext } from '../../src/compilation/compile-context.js'
import type { ObjectChanges, ObjectLists } from '../../src/compilation/object-changes.js'
import { isEmptyGroup, objectIndex, regroup } from '../../src/compilation/object-index.js'
import { serviceRecords } from '../../src/compilation/service-record.js'
import { groupObjects } from '../../src/services/group-objects.js'
import { at, service, slice, V1_30 } from '../support/objects.js'

const NOTHING: ObjectLists = { services: [], endpointSlices: [], endpoints: [] }
const CONTEXT = compileContext({ services: [] }, {})
const WEB_1 = slice(at('10.244.1.1'))
const WEB_2 = slice(at('10.244.1.2'), { name: 'web-2' })
const LOOSE: EndpointSlice = { metadata: { namespace: 'ns1', name: 'loose' }, addressType: 'IPv4' }
const ENDPOINTS: Endpoints = { metadata: { namespace: 'ns1', name: 'web' } }
const OTHER: Service = { ...service(), metadata: { namespace: 'ns1', name: 'other' } }

const LISTS: ObjectLists = { services: [service()], endpointSlices: [WEB_1, LOOSE], endpoints: [] }

function indexOf(lists: ObjectLists) {
  const { groups } = groupObjects(lists, V1_30)
  const recordOf = serviceRecords(CONTEXT)
  return objectIndex(
    groups.map((group) => recordOf(group)),
    lists.endpointSlices,
  )
}

/** The names of the slices of each group that changes touch, and what else it holds. */
function regrouped(changes: { readonly removed?: Partial<ObjectLists>; readonly added?: Partial<ObjectLists> }) {
  const full: ObjectChanges = { removed: { ...NOTHING, ...changes.removed }, added: { ...NOTHING, ...changes.added } }
  const groups = regroup(indexOf(LISTS), full, V1_30)
  return (
    groups &&
    Array.from(groups.values(), (group) => ({
      key: group.key,
      service: group.service !== undefined,
      slices: group.slices.map(({ object }) => object.name),
      endpoints: group.endpoints !== undefined,
    }))
  )
}

const WEB = { key: 'ns1/web', service: true, slices: ['web-1'], endpoints: false }

describe('objectIndex', () => {
  it('knows every group, and every slice whether it belongs to one or not', () => {
    const { records, slices } = indexOf(LISTS)
    expect([...records.keys()]).toEqual(['ns1/web'])
    expect([...slices]).toEqual(['ns1/web-1', 'ns1/loose'])
  })
})

describe('regroup', () => {
  it('touches nothing where nothing changes', () => {
    expect(regrouped({})).toEqual([])
  })

  it.each<[string, Parameters<typeof regrouped>[0], unknown]>([
    ['a Service that changes', { removed: { services: [service()] }, added: { services: [service()] } }, [WEB]],
    ['a Service that goes', { removed: { services: [service()] } }, [{ ...WEB, service: false }]],
    ['a Service that comes', { added: { services: [OTHER] } }, [{ ...WEB, key: 'ns1/other', slices: [] }]],
    ['a slice that comes', { added: { endpointSlices: [WEB_2] } }, [{ ...WEB, slices: ['web-1', 'web-2'] }]],
    [
      'slices in the order of their names',
      { removed: { endpointSlices: [WEB_1] }, added: { endpointSlices: [WEB_2, WEB_1] } },
      [{ ...WEB, slices: ['web-1', 'web-2'] }],
    ],
    ['a slice that goes', { removed: { endpointSlices: [WEB_1] } }, [{ ...WEB, slices: [] }]],
    [
      'a slice that moves to another Service',
      {
        removed: { endpointSlices: [WEB_1] },
        added: { endpointSlices: [slice(at('10.244.1.1'), { service: 'other' })] },
      },
      [
        { ...WEB, slices: [] },
        { key: 'ns1/other', service: false, slices: ['web-1'], endpoints: false },
      ],
    ],
    [
      'a slice that loses its label',
      {
        removed: { endpointSlices: [WEB_1] },
        added: { endpointSlices: [{ ...LOOSE, metadata: WEB_1.metadata && { namespace: 'ns1', name: 'web-1' } }] },
      },
      [{ ...WEB, slices: [] }],
    ],
    ['slices without a Service, which touch nothing', { removed: { endpointSlices: [LOOSE] } }, []],
    ['Endpoints that come', { added: { endpoints: [ENDPOINTS] } }, [{ ...WEB, endpoints: true }]],
    ['Endpoints that come and go', { removed: { endpoints: [ENDPOINTS] } }, [WEB]],
  ])('gives the group of %s', (_, changes, expected) => {
    expect(regrouped(changes)).toEqual(expected)
  })

  it.each<[string, Partial<ObjectLists>]>([
    ['a Service that is there', { services: [service()] }],
    ['two Services of one name', { services: [OTHER, { ...OTHER }] }],
    ['a Service without a name', { services: [{ metadata: { namespace: 'ns1' } }] }],
    ['a slice of the name of another', { endpointSlices: [{ ...WEB_1 }] }],
    ['a slice of the name of one without a Service', { endpointSlices: [slice([], { name: 'loose' })] }],
    ['a slice that is wrong', { endpointSlices: [slice([], { name: 'web-9', addressType: 'IPv5' as 'IPv4' })] }],
    ['two Endpoints of one name', { endpoints: [ENDPOINTS, { ...ENDPOINTS }] }],
    ['Endpoints without a name', { endpoints: [{}] }],
  ])('gives up on %s', (_, added) => {
    expect(regrouped({ added })).toBeUndefined()
  })

  it('follows the slices there are', () => {
    const index = indexOf(LISTS)
    const change = (removed: readonly EndpointSlice[], added: readonly EndpointSlice[]) =>
      regroup(
        index,
        { removed: { ...NOTHING, endpointSlices: removed }, added: { ...NOTHING, endpointSlices: added } },
        V1_30,
      )
    expect(change([LOOSE], [WEB_2])).toBeDefined()
    expect([...index.slices]).toEqual(['ns1/web-1', 'ns1/web-2'])
    expect(change([], [LOOSE])).toBeDefined()
    expect(change([], [{ ...LOOSE }])).toBeUndefined()
  })
})

describe('isEmptyGroup', () => {
  it('is one without any object', () => {
    const [group] = groupObjects(LISTS, V1_30).groups
    expect(isEmptyGroup({ key: 'ns1/web', slices: [] })).toBe(true)
    expect(isEmptyGroup({ key: 'ns1/web', slices: [], service: group?.service })).toBe(false)
    expect(isEmptyGroup({ key: 'ns1/web', slices: group?.slices ?? [] })).toBe(false)
    const [legacy] = groupObjects({ ...NOTHING, endpoints: [ENDPOINTS] }, V1_30).groups
    expect(isEmptyGroup({ key: 'ns1/web', slices: [], endpoints: legacy?.endpoints })).toBe(false)
  })
})
