import type { EndpointSlice, Service } from '@kube-rules/types'
import { expect, it } from 'vitest'
import { groupObjects } from '../../src/services/group-objects.js'
import { NEWEST, service, slice } from '../support/objects.js'

function named(name: string, port: number, namespace = 'ns'): Service {
  return service({ ports: [{ port }] }, { metadata: { namespace, name } })
}

function grouped(services: readonly Service[], endpointSlices: readonly EndpointSlice[] = []) {
  const { groups, diagnostics } = groupObjects({ services, endpointSlices, endpoints: [] }, NEWEST)
  return { groups, repeated: diagnostics.filter(({ code }) => code === 'duplicateObject'), diagnostics }
}

it('keeps the last object of each namespace and name', () => {
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
      message: 'given more than once: the last one counts',
    },
  ])
})

it('warns in the order of the names, whatever the order of the objects', () => {
  const given = ['b', 'c', 'a', 'c', 'a', 'b', 'b'].map((name, index) => named(name, index + 1))
  expect(grouped(given).repeated.map(({ object }) => object?.name)).toEqual(['a', 'b', 'b', 'c'])
})

it('leaves those without a name out, and reports each as given', () => {
  const { groups, repeated, diagnostics } = grouped([named('', 1), named('', 2)])
  expect([groups, repeated]).toEqual([[], []])
  expect(diagnostics.map(({ path, severity }) => [path, severity])).toEqual([
    ['metadata.name', 'error'],
    ['metadata.name', 'error'],
  ])
})

it('puts slices to their Service in the order of their names, also where it is missing', () => {
  const slices = ['web-2', 'web-10', 'web-1'].map((name) => slice([], { name, service: 'web' }))
  const { groups } = grouped([named('a', 1, 'ns1')], slices)
  expect(
    groups.map(({ key, service: reading, slices: own }) => [
      key,
      reading === undefined,
      own.map(({ object }) => object.name),
    ]),
  ).toEqual([
    ['ns1/a', false, []],
    ['ns1/web', true, ['web-1', 'web-10', 'web-2']],
  ])
})
