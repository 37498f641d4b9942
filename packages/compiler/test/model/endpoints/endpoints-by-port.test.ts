import type { SliceEndpoint } from '@kube-rules/types'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { featuresOf } from '../../../src/model/configuration/features.js'
import { at, endpointsOf, NEWEST, slice, V1_30 } from '../../support/objects.js'

const texts = (...slices: Parameters<typeof endpointsOf>[0]) => endpointsOf(slices).map(({ text }) => text)

describe('the order of endpoints', () => {
  it('is the order of their texts by byte', () => {
    const addresses = ['10.0.0.2', '10.0.0.10', '10.0.0.1', '10.0.1.1', '9.0.0.1']
    expect(texts(slice(at(...addresses)))).toEqual([
      '10.0.0.10:8080',
      '10.0.0.1:8080',
      '10.0.0.2:8080',
      '10.0.1.1:8080',
      '9.0.0.1:8080',
    ])
  })

  it('does not depend on the order of their slices', () => {
    const first = slice(at('10.0.1.1', '10.0.1.2'), { name: 'web-a' })
    const second = slice(at('10.0.1.10', '10.0.0.3'), { name: 'web-b' })
    const expected = ['10.0.0.3:8080', '10.0.1.10:8080', '10.0.1.1:8080', '10.0.1.2:8080']
    expect(texts(first, second)).toEqual(expected)
    expect(texts(second, first)).toEqual(expected)
  })

  it('is the same if slices map one port name to different port numbers', () => {
    const first = slice(at('10.0.0.1', '10.0.0.2'), { name: 'web-a', ports: [{ name: 'http', port: 8080 }] })
    const second = slice(at('10.0.0.1'), { name: 'web-b', ports: [{ name: 'http', port: 80 }] })
    expect(texts(first, second)).toEqual(['10.0.0.1:80', '10.0.0.1:8080', '10.0.0.2:8080'])
  })
})

describe('kube-proxy with several endpoints that have the same ip:port', () => {
  const REMOTE = { nodeName: 'node-2', conditions: { ready: true, serving: true, terminating: false } }
  const LOCAL = { ...REMOTE, nodeName: 'node-1' }
  const UNREADY = { ...REMOTE, conditions: { ready: false, serving: true, terminating: false } }
  const TERMINATING = { ...REMOTE, conditions: { ready: false, serving: true, terminating: true } }
  const LOCAL_TERMINATING = { ...TERMINATING, nodeName: 'node-1' }
  type Candidate = Omit<SliceEndpoint, 'addresses'>

  /** Returns the winning candidate. Each has its own slice, and the slices are in reverse order. */
  function winner(features: typeof V1_30, ...candidates: readonly Candidate[]): string {
    const slices = candidates.map((candidate, index) =>
      slice([{ addresses: ['10.0.0.1'], hints: { forZones: [{ name: `${index}` }] }, ...candidate }], {
        name: `web-${index}`,
      }),
    )
    const endpoints = endpointsOf(slices.reverse(), { features })
    expect(endpoints).toHaveLength(1)
    return endpoints[0]?.hints.zones[0] ?? ''
  }

  it.each<[string, readonly Candidate[], string]>([
    ['the first endpoint', [REMOTE, UNREADY], '0'],
    ['the first endpoint, although it is terminating', [TERMINATING, REMOTE], '0'],
    ['the last local endpoint', [REMOTE, LOCAL, TERMINATING], '1'],
    ['the last local endpoint, although it is terminating', [REMOTE, LOCAL_TERMINATING], '1'],
    ['the last local endpoint, although a remote endpoint precedes it', [LOCAL, REMOTE, LOCAL_TERMINATING], '2'],
  ])('in version 1.30 uses %s', (_name, candidates, expected) => {
    expect(winner(V1_30, ...candidates)).toBe(expected)
  })

  it.each<[string, readonly Candidate[], string]>([
    ['the first endpoint if all endpoints are terminating', [TERMINATING, LOCAL_TERMINATING], '0'],
    [
      'the last endpoint that is not terminating, although the first endpoint is terminating',
      [TERMINATING, REMOTE, TERMINATING],
      '1',
    ],
    ['the last endpoint that is not terminating, although it is not ready', [REMOTE, UNREADY, TERMINATING], '1'],
  ])('in the newest version uses %s', (_name, candidates, expected) => {
    expect(winner(NEWEST, ...candidates)).toBe(expected)
  })

  const BEFORE_1_36 = featuresOf('iptables', '1.35', new Map())

  it.each<[string, readonly Candidate[], string]>([
    ['the first endpoint, although it is terminating', [TERMINATING, REMOTE], '0'],
    ['the last local endpoint, although it is terminating', [REMOTE, LOCAL_TERMINATING], '1'],
  ])('up to version 1.35 uses %s', (_name, candidates, expected) => {
    expect(winner(BEFORE_1_36, ...candidates)).toBe(expected)
  })

  /**
   * Returns the zone of the only resulting endpoint of one slice. The slice's endpoints have these addresses and are in
   * zones 0, 1 and so on.
   */
  function winnerInSlice(features: typeof V1_30, ...addresses: readonly (readonly string[])[]): string {
    const endpoints = addresses.map((each, index) => ({
      ...REMOTE,
      addresses: each,
      hints: { forZones: [{ name: `${index}` }] },
    }))
    return endpointsOf([slice(endpoints)], { features })[0]?.hints.zones[0] ?? ''
  }

  it.each<[readonly string[], readonly string[], string]>([
    [['10.0.0.1', '10.0.0.9'], ['10.0.0.1'], '1'],
    [['10.0.0.1', '10.0.0.9'], ['10.0.0.1', '10.0.0.10'], '1'],
    [['10.0.0.1'], ['10.0.0.1', '10.0.0.9'], '0'],
    [['10.0.0.1', '10.0.0.9'], ['10.0.0.1', '10.0.0.9'], '0'],
  ])(
    'in 1.30 sorts endpoints of a slice by all their addresses, and uses the first of %j and %j',
    (one, other, expected) => {
      expect(winnerInSlice(V1_30, one, other)).toBe(expected)
      expect(winnerInSlice(featuresOf('iptables', '1.31', new Map()), one, other)).toBe('0')
      expect(winnerInSlice(NEWEST, one, other)).toBe('1')
    },
  )

  it('in 1.30 uses the first endpoint of a slice if all endpoints have the same addresses', () => {
    const same = Array.from({ length: 30 }, () => ['10.0.0.1', '10.0.0.9'])
    expect(winnerInSlice(V1_30, ...same)).toBe('0')
  })

  it('uses the first endpoint without an error even if another endpoint has addresses of other types', () => {
    const hostile = ['10.0.0.1', { toString: 1 }, null, ['x']] as never
    expect(winnerInSlice(V1_30, ['10.0.0.1', '10.0.0.9'], hostile)).toBe('1')
  })

  /** Mirrors `addEndpoints` of each version, which uses a map, and the preceding sort of v1.30. */
  function kubeProxy(version: string, endpoints: readonly SliceEndpoint[]): readonly SliceEndpoint[] {
    const joined = ({ addresses }: SliceEndpoint) => addresses?.join(',') ?? ''
    const order = [...endpoints]
    if (version === '1.30') order.sort((a, b) => (joined(a) < joined(b) ? -1 : joined(a) > joined(b) ? 1 : 0))
    const byAddress = new Map<string, SliceEndpoint>()
    for (const endpoint of order) {
      const address = endpoint.addresses?.[0] ?? ''
      const isWanted = version >= '1.36' ? endpoint.conditions?.terminating !== true : endpoint.nodeName === 'node-1'
      if (!byAddress.has(address) || isWanted) byAddress.set(address, endpoint)
    }
    return [...byAddress.values()]
  }

  it.each(['1.30', '1.31', '1.35', '1.36', '1.37'])(
    'in version %s uses the same endpoint of an arbitrary slice as the library',
    (version) => {
      const address = fc.constantFrom('10.0.0.1', '10.0.0.10', '10.0.0.2')
      const endpoint: fc.Arbitrary<SliceEndpoint> = fc.record({
        addresses: fc.array(address, { minLength: 1, maxLength: 3 }),
        conditions: fc.record({ ready: fc.boolean(), serving: fc.boolean(), terminating: fc.boolean() }),
        nodeName: fc.constantFrom('node-1', 'node-2'),
      })
      const features = featuresOf('iptables', version, new Map())
      const factsOf = ({ addresses, conditions, nodeName }: SliceEndpoint) => {
        const ip = addresses?.[0] ?? ''
        return { ip, text: `${ip}:8080`, ...conditions, local: nodeName === 'node-1' }
      }
      fc.assert(
        fc.property(fc.array(endpoint, { minLength: 1, maxLength: 8 }), (endpoints) => {
          const expected = kubeProxy(version, endpoints)
            .map(factsOf)
            .sort((a, b) => (a.text < b.text ? -1 : 1))
          expect(endpointsOf([slice(endpoints)], { features })).toMatchObject(expected)
        }),
      )
    },
  )

  it('uses the last local endpoint in slice order if all endpoints are in one slice', () => {
    const twice = [
      { addresses: ['10.0.0.1'], ...REMOTE },
      { addresses: ['10.0.0.1'], ...LOCAL },
    ]
    expect(endpointsOf([slice(twice)]).map(({ local }) => local)).toEqual([true])
  })
})
