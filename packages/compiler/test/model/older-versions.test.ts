import type { EndpointSlice, Endpoints, Service, ServiceSpec, SliceEndpoint } from '@kube-rules/types'
import { describe, expect, it } from 'vitest'
import { featuresOf } from '../../src/model/configuration/features.js'
import type { ProxyMode } from '../../src/model/configuration/versions.js'
import type { ServicePort } from '../../src/model/services/service-port.js'
import { at, build, codes, loadBalancer, service, slice } from '../support/objects.js'

// Tests how kube-proxy before 1.30 reads the objects of its time.

function of(version: string, gates: Record<string, boolean> = {}, mode: ProxyMode = 'iptables') {
  return { features: featuresOf(mode, version, new Map(Object.entries(gates))) }
}

interface Objects {
  readonly service?: Service
  readonly slices?: readonly EndpointSlice[]
  readonly endpoints?: readonly Endpoints[]
}

/** Returns the first service port that this version derives from the objects. */
function portIn(version: string, objects: Objects, gates: Record<string, boolean> = {}): ServicePort | undefined {
  const { service: given = service(), slices: endpointSlices = [], endpoints = [] } = objects
  return build({ services: [given], endpointSlices, endpoints }, of(version, gates)).models[0]?.servicePorts[0]
}

function textsIn(version: string, objects: Objects, gates?: Record<string, boolean>): readonly string[] | undefined {
  return portIn(version, objects, gates)?.endpoints.map(({ text }) => text)
}

const legacy = (subsets: Endpoints['subsets'], labels = {}): Endpoints => ({
  metadata: { namespace: 'ns1', name: 'web', labels },
  subsets,
})
const HTTP = [{ name: 'http', port: 80 }]

describe('kube-proxy with Endpoints objects and slices', () => {
  const endpoints = [legacy([{ addresses: [{ ip: '10.1.0.9' }, { ip: '10.1.0.1' }], ports: HTTP }])]
  const slices = [slice(at('10.2.0.1'))]

  it.each<[string, Record<string, boolean>, readonly string[]]>([
    ['1.14', {}, ['10.1.0.9:80', '10.1.0.1:80']],
    ['1.18', {}, ['10.1.0.9:80', '10.1.0.1:80']],
    ['1.18', { EndpointSliceProxying: true }, ['10.2.0.1:8080']],
    ['1.17', { EndpointSlice: true }, ['10.2.0.1:8080']],
    ['1.18', { EndpointSlice: true }, ['10.1.0.9:80', '10.1.0.1:80']],
    ['1.19', {}, ['10.2.0.1:8080']],
    ['1.19', { EndpointSliceProxying: false }, ['10.1.0.9:80', '10.1.0.1:80']],
    ['1.29', {}, ['10.2.0.1:8080']],
  ])('reads in version %s with the feature gates %j the endpoints %j', (version, gates, expected) => {
    expect(textsIn(version, { slices, endpoints }, gates)).toEqual(expected)
  })

  it('reads Endpoints objects instead of slices, or vice versa, if the usual kind of object is missing', () => {
    expect(textsIn('1.18', { slices })).toEqual(['10.2.0.1:8080'])
    expect(textsIn('1.19', { endpoints })).toEqual(['10.1.0.1:80', '10.1.0.9:80'])
  })

  it('reads one kind of object, and reports objects of the other kind as unused', () => {
    const input = { services: [service()], endpointSlices: slices, endpoints }
    const [reported] = build(input, of('1.18')).diagnostics
    expect(reported).toMatchObject({ code: 'unusedEndpoints', object: { kind: 'EndpointSlice' } })
    expect(build(input, of('1.19')).diagnostics[0]).toMatchObject({ object: { kind: 'Endpoints' } })
  })
})

describe('the addressType "IP" of a slice', () => {
  const slices = [slice(at('10.2.0.1'), { addressType: 'IP' })]

  it('means the family of the first address up to version 1.19', () => {
    expect(textsIn('1.19', { slices })).toEqual(['10.2.0.1:8080'])
    const empty = slice([], { addressType: 'IP' })
    const broken = slice([{ addresses: ['x'] }], { addressType: 'IP' })
    for (const each of [empty, broken]) expect(textsIn('1.19', { slices: [each] })).toEqual([])
  })

  it('is rejected from version 1.20', () => {
    const { diagnostics } = build({ services: [service()], endpointSlices: slices }, of('1.20'))
    expect(diagnostics[0]).toMatchObject({ code: 'invalidValue', path: 'addressType', expected: 'IPv4 or IPv6' })
    expect(textsIn('1.20', { slices })).toEqual([])
  })
})

describe('an Endpoints object', () => {
  it('keeps the order of addresses and repeated addresses up to version 1.18', () => {
    const subset = { addresses: [{ ip: '10.1.0.2' }, { ip: '10.1.0.1' }, { ip: '10.1.0.2' }], ports: HTTP }
    expect(textsIn('1.18', { endpoints: [legacy([subset])] })).toEqual(['10.1.0.2:80', '10.1.0.1:80', '10.1.0.2:80'])
    expect(textsIn('1.19', { endpoints: [legacy([subset])] })).toEqual(['10.1.0.1:80', '10.1.0.2:80'])
  })

  it('provides no endpoints for unready addresses up to version 1.20', () => {
    const subset = { addresses: [], notReadyAddresses: [{ ip: '10.1.0.1' }], ports: HTTP }
    expect(textsIn('1.20', { endpoints: [legacy([subset])] })).toEqual([])
    expect(textsIn('1.21', { endpoints: [legacy([subset])] })).toEqual(['10.1.0.1:80'])
  })

  it('is matched with service ports by port name and not by protocol up to version 1.16', () => {
    const subset = { addresses: [{ ip: '10.1.0.1' }], ports: [{ name: 'http', port: 80, protocol: 'UDP' }] }
    expect(textsIn('1.16', { endpoints: [legacy([subset])] })).toEqual(['10.1.0.1:80'])
    expect(textsIn('1.17', { endpoints: [legacy([subset])] })).toEqual([])
  })

  it('is used despite the headless label before version 1.16', () => {
    const labels = { 'service.kubernetes.io/headless': '' }
    const endpoints = [legacy([{ addresses: [{ ip: '10.1.0.1' }], ports: HTTP }], labels)]
    expect(textsIn('1.15', { endpoints })).toEqual(['10.1.0.1:80'])
    expect(textsIn('1.16', { endpoints })).toEqual([])
  })
})

describe('a label that excludes objects from kube-proxy', () => {
  const HEADLESS = { 'service.kubernetes.io/headless': '' }
  const OTHER_PROXY = { 'service.kubernetes.io/service-proxy-name': 'other' }
  const METADATA = { namespace: 'ns1', name: 'web' }
  const labelledSlice = (labels: Record<string, string>) =>
    slice(at('10.2.0.1'), {
      metadata: { namespace: 'ns1', name: 's', labels: { 'kubernetes.io/service-name': 'web', ...labels } },
    })

  it.each<[string, object, readonly [string, boolean][]]>([
    [
      'headless',
      HEADLESS,
      [
        ['1.15', true],
        ['1.16', false],
        ['1.35', false],
        ['1.36', true],
        ['1.37', true],
      ],
    ],
    [
      'service-proxy-name',
      OTHER_PROXY,
      [
        ['1.15', false],
        ['1.35', false],
        ['1.36', false],
        ['1.37', false],
      ],
    ],
  ])('excludes a Service in the versions that evaluate the label: %s', (_label, labels, versions) => {
    const labelled = service({}, { metadata: { ...METADATA, labels: { ...labels } } })
    const served = versions.map(([version]) => [version, portIn(version, { service: labelled }) !== undefined])
    expect(served).toEqual(versions)
  })

  it.each<[string, Record<string, string>, readonly [string, readonly string[]][]]>([
    [
      'headless',
      HEADLESS,
      [
        ['1.35', []],
        ['1.36', []],
        ['1.37', []],
      ],
    ],
    [
      'service-proxy-name',
      OTHER_PROXY,
      [
        ['1.35', []],
        ['1.36', ['10.2.0.1:8080']],
        ['1.37', ['10.2.0.1:8080']],
      ],
    ],
  ])('excludes a slice in the versions that evaluate the label: %s', (_label, labels, versions) => {
    const found = versions.map(([version]) => [version, textsIn(version, { slices: [labelledSlice(labels)] })])
    expect(found).toEqual(versions)
  })

  it('excludes an Endpoints object up to version 1.35 if the label is service-proxy-name', () => {
    const endpoints = [legacy([{ addresses: [{ ip: '10.1.0.1' }], ports: HTTP }], OTHER_PROXY)]
    expect(textsIn('1.35', { endpoints })).toEqual([])
    expect(textsIn('1.36', { endpoints })).toEqual(['10.1.0.1:80'])
  })
})

describe('an endpoint of a slice', () => {
  const on = (fields: Partial<SliceEndpoint>) => [slice([{ addresses: ['10.2.0.1'], ...fields }])]
  const isLocal = (version: string, fields: Partial<SliceEndpoint>) =>
    portIn(version, { slices: on(fields) })?.endpoints[0]?.local

  it('is local up to version 1.21 if its topology contains the node, unless it has a nodeName', () => {
    const topology = { 'kubernetes.io/hostname': 'node-1' }
    expect(isLocal('1.21', { topology })).toBe(true)
    expect(isLocal('1.21', { topology, nodeName: 'node-2' })).toBe(false)
    expect(isLocal('1.22', { topology })).toBe(false)
  })

  it('has a topology only if the gate ServiceTopology is on', () => {
    const fields = { nodeName: 'node-1', zone: 'a', topology: { 'example.com/rack': '7' } }
    const [endpoint] = portIn('1.20', { slices: on(fields) }, { ServiceTopology: true })?.endpoints ?? []
    expect([...(endpoint?.topology ?? [])]).toEqual([
      ['kubernetes.io/hostname', 'node-1'],
      ['topology.kubernetes.io/zone', 'a'],
      ['example.com/rack', '7'],
    ])
    expect(portIn('1.20', { slices: on(fields) })?.endpoints[0]).not.toHaveProperty('topology')
  })

  it.each<[string, Record<string, boolean>, readonly string[] | undefined]>([
    ['1.17', {}, undefined],
    ['1.17', { EndpointSlice: true }, ['a']],
    ['1.18', { EndpointSlice: true }, undefined],
    ['1.18', { EndpointSliceProxying: true }, ['a']],
    ['1.21', {}, ['a']],
    ['1.21', { EndpointSliceProxying: false }, undefined],
  ])('has topology keys in version %s with the gates %j, if endpoints come from slices: %j', (version, gates, keys) => {
    const given = service({ topologyKeys: ['a'] })
    expect(portIn(version, { service: given }, { ...gates, ServiceTopology: true })?.topologyKeys).toEqual(keys)
  })

  it('is reported up to version 1.21 if a topology value is not a string', () => {
    const endpointSlices = on({ topology: { 'example.com/rack': 7 } as never })
    const input = { services: [service()], endpointSlices }
    expect(codes(input, of('1.21'))).toEqual(['error invalidType endpoints[0].topology'])
    expect(codes(input, of('1.22'))).toEqual([])
  })

  it('is omitted up to version 1.20 if it is not ready', () => {
    const slices = on({ conditions: { ready: false } })
    expect(textsIn('1.20', { slices })).toEqual([])
    expect(textsIn('1.21', { slices })).toEqual(['10.2.0.1:8080'])
  })

  it('up to version 1.21 replaces an earlier endpoint with the same IP and another port', () => {
    const slices = [
      slice(at('10.2.0.1'), { name: 'a', ports: [{ name: 'http', port: 1 }] }),
      slice([{ addresses: ['10.2.0.1'], nodeName: 'node-1' }], { name: 'b', ports: [{ name: 'http', port: 2 }] }),
    ]
    expect(textsIn('1.21', { slices })).toEqual(['10.2.0.1:2'])
    expect(textsIn('1.22', { slices })).toEqual(['10.2.0.1:1', '10.2.0.1:2'])
  })
})

describe('a Service in older versions', () => {
  it.each([
    ['1.18', 'ns1/web:'],
    ['1.19', 'ns1/web'],
  ])('for an unnamed port has a service port that version %s names %s', (version, text) => {
    expect(portIn(version, { service: service({ ports: [{ port: 80 }] }) })?.id.text).toBe(text)
  })

  it('has an external traffic policy from version 1.29 on if it is a ClusterIP with external IPs', () => {
    const spec: ServiceSpec = { externalIPs: ['198.51.100.1'], externalTrafficPolicy: 'Local' }
    expect(portIn('1.28', { service: service(spec) })?.externalPolicyLocal).toBe(false)
    expect(portIn('1.29', { service: service(spec) })?.externalPolicyLocal).toBe(true)
  })

  it('has an internal traffic policy from version 1.22 on, and in 1.21 if the gate is on', () => {
    const local = service({ internalTrafficPolicy: 'Local' })
    expect(portIn('1.21', { service: local })?.internalPolicyLocal).toBe(false)
    expect(portIn('1.21', { service: local }, { ServiceInternalTrafficPolicy: true })?.internalPolicyLocal).toBe(true)
    expect(portIn('1.22', { service: local })?.internalPolicyLocal).toBe(true)
    expect(portIn('1.25', { service: local }, { ServiceInternalTrafficPolicy: false })?.internalPolicyLocal).toBe(false)
    expect(portIn('1.26', { service: local }, { ServiceInternalTrafficPolicy: false })?.internalPolicyLocal).toBe(true)
  })

  it.each<[string, string, string, boolean]>([
    ['1.26', 'topology-aware-hints', 'auto', true],
    ['1.26', 'topology-aware-hints', 'Auto', true],
    ['1.26', 'topology-aware-hints', 'AUTO', false],
    ['1.26', 'topology-mode', 'Auto', false],
    ['1.27', 'topology-mode', 'Other', true],
    ['1.23', 'topology-aware-hints', 'auto', false],
  ])('in %s with the annotation %s: %s uses topology hints: %s', (version, name, value, expected) => {
    const annotations = { [`service.kubernetes.io/${name}`]: value }
    const given = service({}, { metadata: { namespace: 'ns1', name: 'web', annotations } })
    expect(portIn(version, { service: given })?.topologyHints).toBe(expected)
  })

  it('accepts spaces in source ranges from version 1.20 on, and has unmasked ranges up to 1.29', () => {
    const given = loadBalancer({ loadBalancerSourceRanges: [' 10.1.2.3/16 '] })
    const rangesIn = (version: string) => portIn(version, { service: given })?.sourceRanges.map(({ text }) => text)
    expect(rangesIn('1.19')).toEqual([])
    expect(rangesIn('1.20')).toEqual(['10.1.2.3/16'])
    expect(rangesIn('1.30')).toEqual(['10.1.0.0/16'])
  })

  it('has only its first cluster IP up to version 1.19', () => {
    const spec: ServiceSpec = {
      clusterIP: '10.96.0.1',
      clusterIPs: ['10.96.0.1', 'fd00:96::1'],
      ipFamilies: ['IPv4', 'IPv6'],
    }
    const familiesIn = (version: string) =>
      build({ services: [service(spec)] }, of(version)).models.map(({ servicePorts }) => servicePorts.length)
    expect(familiesIn('1.19')).toEqual([1, 0])
    expect(familiesIn('1.20')).toEqual([1, 1])
  })
})
