import type { EndpointSlice, Endpoints, Service } from '@kube-rules/types'
import { describe, expect, it } from 'vitest'
import type { CompileInput } from '../../../src/compilation/compile-result.js'
import { readObjectLists } from '../../../src/compilation/snapshot.js'
import type { SliceHeader } from '../../../src/model/endpoints/slice-header.js'
import { diffObjectLists, NO_OBJECTS, type ObjectLists } from '../../../src/model/reading/object-changes.js'
import {
  type ClusterObjects,
  EMPTY_CLUSTER,
  isEmptyGroup,
  regroupObjects,
  reportUngroupedObjects,
  type ServiceGroup,
} from '../../../src/model/services/group-objects.js'
import { at, NEWEST, service, slice } from '../../support/objects.js'

interface Groups {
  readonly input: CompileInput
  readonly lists: ObjectLists
  readonly objects: ClusterObjects
  readonly groups: ReadonlyMap<string, ServiceGroup>
  /** The groups affected by the last change. */
  readonly touched: readonly ServiceGroup[]
}

const NOTHING: Groups = {
  input: { services: [] },
  lists: NO_OBJECTS,
  objects: EMPTY_CLUSTER,
  groups: new Map(),
  touched: [],
}

/** Returns the groups after a change of the lists. */
function change(before: Groups, lists: Partial<CompileInput>): Groups {
  const input = { ...before.input, ...lists }
  const after = readObjectLists(input, before.lists)
  const changes = diffObjectLists(before.lists, after)
  const { objects, groups } = regroupObjects(before.objects, changes, (key) => before.groups.get(key), NEWEST)
  const all = new Map([...before.groups, ...groups.map((group) => [group.key, group] as const)])
  for (const group of groups) if (isEmptyGroup(group)) all.delete(group.key)
  return { input, lists: after, objects, groups: all, touched: groups }
}

function named(name: string, port: number, namespace = 'ns'): Service {
  return service({ ports: [{ port }] }, { metadata: { namespace, name } })
}

function grouped(services: readonly Service[], endpointSlices: readonly EndpointSlice[] = []) {
  const { touched: groups, objects } = change(NOTHING, { services, endpointSlices })
  const diagnostics = reportUngroupedObjects(objects)
  return { groups, repeated: diagnostics.filter(({ code }) => code === 'duplicateObject'), diagnostics }
}

it('a group contains the last of several Services with the same namespace and name', () => {
  const { groups, repeated } = grouped([named('a', 1), named('a', 2, 'other'), named('a', 3)])
  expect(groups.map(({ key, service: reading }) => [key, reading?.facts?.ports.map(({ port }) => port)])).toEqual([
    ['ns/a', [3]],
    ['other/a', [2]],
  ])
  expect(repeated).toEqual([
    {
      severity: 'warning',
      code: 'duplicateObject',
      object: { kind: 'Service', namespace: 'ns', name: 'a' },
      message: 'given more than once; the last one is used',
    },
  ])
})

it('groups report 200,000 duplicate objects', () => {
  const given = Array.from({ length: 200_001 }, (_, index) => named('a', index))
  expect(grouped(given).repeated.length).toBe(200_000)
})

it('groups report duplicate objects sorted by name, whatever the order of the objects', () => {
  const given = ['b', 'c', 'a', 'c', 'a', 'b', 'b'].map((name, index) => named(name, index + 1))
  expect(grouped(given).repeated.map(({ object }) => object?.name)).toEqual(['a', 'b', 'b', 'c'])
})

it('groups omit unnamed objects and report each of them in input order', () => {
  const { groups, repeated, diagnostics } = grouped([named('', 1), named('', 2)])
  expect([groups, repeated]).toEqual([[], []])
  expect(diagnostics.map(({ path, severity }) => [path, severity])).toEqual([
    ['metadata.name', 'error'],
    ['metadata.name', 'error'],
  ])
})

it('a group contains the slices of a Service sorted by name, even if the Service is missing', () => {
  const slices = ['web-2', 'web-10', 'web-1'].map((name) => slice([], { name, service: 'web' }))
  const { groups } = grouped([named('a', 1, 'ns1')], slices)
  expect(groups.map(({ key, service: reading, slices: own }) => [key, reading === undefined, own.map(nameOf)])).toEqual(
    [
      ['ns1/a', false, []],
      ['ns1/web', true, ['web-1', 'web-10', 'web-2']],
    ],
  )
})

/** Returns the name part of `namespace/name`. */
function nameOf({ key }: SliceHeader): string {
  return key.slice(key.indexOf('/') + 1)
}

describe('a change of the objects', () => {
  const WEB = service()
  const OTHER: Service = { ...service(), metadata: { namespace: 'ns1', name: 'other' } }
  const WEB_1 = slice(at('10.244.1.1'))
  const WEB_2 = slice(at('10.244.1.2'), { name: 'web-2' })
  const LOOSE: EndpointSlice = { metadata: { namespace: 'ns1', name: 'loose' }, addressType: 'IPv4' }
  const ENDPOINTS: Endpoints = { metadata: { namespace: 'ns1', name: 'web' } }
  const before = change(NOTHING, { services: [WEB], endpointSlices: [WEB_1, LOOSE] })

  /** Summarizes the contents of a group. */
  const contents = ({ key, service: reading, slices, endpoints }: ServiceGroup) => ({
    key,
    service: reading !== undefined,
    slices: slices.map(nameOf),
    endpoints: endpoints !== undefined,
  })
  const ofWeb = { key: 'ns1/web', service: true, slices: ['web-1'], endpoints: false }

  it.each<[string, Partial<CompileInput>, readonly unknown[]]>([
    ['no object', {}, []],
    ['a changed Service', { services: [{ ...WEB }] }, [ofWeb]],
    ['a removed Service', { services: [] }, [{ ...ofWeb, service: false }]],
    ['an added Service', { services: [OTHER, WEB] }, [{ ...ofWeb, key: 'ns1/other', slices: [] }]],
    ['an added slice', { endpointSlices: [WEB_2, WEB_1, LOOSE] }, [{ ...ofWeb, slices: ['web-1', 'web-2'] }]],
    ['a removed slice', { endpointSlices: [LOOSE] }, [{ ...ofWeb, slices: [] }]],
    [
      'a slice that moves to another Service',
      { endpointSlices: [slice(at('10.244.1.1'), { service: 'other' }), LOOSE] },
      [
        { key: 'ns1/other', service: false, slices: ['web-1'], endpoints: false },
        { ...ofWeb, slices: [] },
      ],
    ],
    [
      'a slice that lost its Service label',
      { endpointSlices: [{ ...LOOSE, metadata: { namespace: 'ns1', name: 'web-1' } }] },
      [{ ...ofWeb, slices: [] }],
    ],
    ['a slice without a Service', { endpointSlices: [WEB_1] }, []],
    ['an added Endpoints object', { endpoints: [ENDPOINTS] }, [{ ...ofWeb, endpoints: true }]],
  ])('rebuilds only the groups of %s', (_, lists, expected) => {
    expect(change(before, lists).touched.map(contents)).toEqual(expected)
  })

  it('can remove an Endpoints object that an earlier change added to its group', () => {
    const with1 = change(before, { endpoints: [ENDPOINTS] })
    expect(change(with1, { endpoints: [] }).touched.map(contents)).toEqual([ofWeb])
  })

  it('results in an empty group if all objects of the group are removed', () => {
    expect(change(before, { services: [], endpointSlices: [] }).touched.map(isEmptyGroup)).toEqual([true])
    expect(before.touched.map(isEmptyGroup)).toEqual([false])
    expect(change(NOTHING, { endpointSlices: [WEB_1] }).touched.map(isEmptyGroup)).toEqual([false])
    expect(change(NOTHING, { endpoints: [ENDPOINTS] }).touched.map(isEmptyGroup)).toEqual([false])
  })

  it('keeps one of two Services with the same name if the other Service is removed', () => {
    const second = service({ clusterIP: '10.96.0.2' })
    const portsOf = ({ touched }: Groups) => touched.map(({ service: reading }) => reading?.facts?.clusterIPs.IPv4)
    const both = change(before, { services: [WEB, second] })
    expect(portsOf(both)).toEqual(['10.96.0.2'])
    expect(reportUngroupedObjects(both.objects).map(({ code }) => code)).toEqual(['duplicateObject', 'orphanSlice'])
    expect(portsOf(change(both, { services: [second, WEB] }))).toEqual(['10.96.0.1'])
    expect(portsOf(change(both, { services: [second] }))).toEqual([])
    const first = change(both, { services: [WEB] })
    expect(portsOf(first)).toEqual(['10.96.0.1'])
    expect(reportUngroupedObjects(first.objects).map(({ code }) => code)).toEqual(['orphanSlice'])
  })

  it('moves a slice to another Service if a later slice with the same name belongs to that Service', () => {
    const elsewhere = slice(at('10.244.1.1'), { service: 'other' })
    const both = change(before, { endpointSlices: [WEB_1, elsewhere] })
    expect(both.touched.map(contents)).toEqual([
      { key: 'ns1/other', service: false, slices: ['web-1'], endpoints: false },
      { ...ofWeb, slices: [] },
    ])
    expect(change(both, { endpointSlices: [elsewhere, WEB_1] }).touched.map(contents)).toEqual([
      { key: 'ns1/other', service: false, slices: [], endpoints: false },
      ofWeb,
    ])
  })

  it('causes reports of invalid slices without a Service only as long as these slices exist', () => {
    const wrong = slice([], { name: 'wrong', addressType: 'IPv5' as 'IPv4' })
    const pathsOf = ({ objects }: Groups) => reportUngroupedObjects(objects).map(({ path }) => path)
    const with1 = change(before, { endpointSlices: [wrong, WEB_1] })
    expect(pathsOf(with1)).toEqual(['addressType'])
    expect(pathsOf(change(with1, { endpointSlices: [WEB_1] }))).toEqual([])
    const mended = slice([], { name: 'wrong', addressType: 'IPv6' })
    expect(pathsOf(change(with1, { endpointSlices: [mended, WEB_1] }))).toEqual([])
  })

  it('reports unnamed objects in input order', () => {
    const nameless = [{ metadata: { namespace: 'b' } }, { metadata: { namespace: 'a' } }] as const
    const namespaces = ({ objects }: Groups) =>
      reportUngroupedObjects(objects).flatMap(({ path, object }) => (path === 'metadata.name' ? object?.namespace : []))
    const both = change(before, { services: nameless })
    expect(namespaces(both)).toEqual(['b', 'a'])
    expect(namespaces(change(both, { services: [nameless[1], nameless[0], nameless[1]] }))).toEqual(['a', 'b', 'a'])
    expect(namespaces(change(both, { services: [nameless[1]] }))).toEqual(['a'])
  })
})
