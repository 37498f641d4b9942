import type { EndpointSlice, Endpoints, Service } from '@kube-rules/types'
import { parseCidr } from '@kube-rules/types/internal/cidr'
import { familyOf, parseIp } from '@kube-rules/types/internal/ip'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { CompileInput } from '../../../src/compilation/compile-result.js'
import type { ServicePort } from '../../../src/model/services/service-port.js'
import { buildModels } from '../../support/build-models.js'
import { at, build, codes, context, DUAL_STACK, NEWEST, service, slice } from '../../support/objects.js'

describe('regroup and buildServiceGroupModel', () => {
  it('return one model per family, in the requested order', () => {
    const { models } = build({ services: [service(DUAL_STACK)] }, { families: ['IPv6', 'IPv4'] })
    expect(models.map(({ family, servicePorts }) => [family, servicePorts.map(({ clusterIP }) => clusterIP)])).toEqual([
      ['IPv6', ['fd00:96::1']],
      ['IPv4', ['10.96.0.1']],
    ])
  })

  it('return an empty model per family if there are no objects', () => {
    expect(build({})).toEqual({
      models: [
        { family: 'IPv4', servicePorts: [], healthCheckNodePorts: [] },
        { family: 'IPv6', servicePorts: [], healthCheckNodePorts: [] },
      ],
      diagnostics: [],
    })
  })

  it('use valid objects even if other objects are invalid', () => {
    const services = [null, service(), { metadata: { name: 'x' } }] as never
    const { models } = build({ services, endpointSlices: [7 as never, slice(at('10.0.0.1'))] })
    expect(models[0]?.servicePorts.map(({ id, endpoints }) => [id.text, endpoints.length])).toEqual([
      ['ns1/web:http', 1],
    ])
  })

  it('use the last of two Services with the same name', () => {
    const services = [service({ clusterIP: '10.96.0.8' }), service({ clusterIP: '10.96.0.9' })]
    expect(build({ services }).models[0]?.servicePorts.map(({ clusterIP }) => clusterIP)).toEqual(['10.96.0.9'])
    expect(codes({ services })).toEqual(['warning duplicateObject'])
  })

  it('do not report unnamed objects as duplicates of each other', () => {
    expect(codes({ services: [null, undefined] as never })).toEqual(['error invalidType', 'error invalidType'])
  })

  it('accept labels, namespaces and names that equal the names of prototype members', () => {
    const labels = JSON.parse('{"__proto__": {"service.kubernetes.io/headless": ""}, "constructor": "x"}')
    const services = [service({}, { metadata: { namespace: 'constructor', name: 'constructor', labels } })]
    expect(build({ services }).models[0]?.servicePorts.map(({ id }) => id.text)).toEqual([
      'constructor/constructor:http',
    ])
  })

  it('report a long name with a line break in one short line', () => {
    const name = `x${'y'.repeat(500)}\n-A PREROUTING -j ACCEPT`
    const [first] = build({ services: [service({}, { metadata: { namespace: 'ns1', name } })] }).diagnostics
    expect(first?.message).toBe(`"x${'y'.repeat(63)}" is not a name`)
  })
})

const HOSTILE = [
  'web',
  'ns1',
  '__proto__',
  'constructor',
  'a"\n-A PREROUTING -j ACCEPT',
  '10.0.0.1',
  '010.0.0.1',
  '10.0.0.1,10.0.0.2',
  'fd00::1',
  '::ffff:10.0.0.1',
  '10.0.0.0/8',
  ' 10.0.0.0/8\n',
  '127.0.0.1',
  'None',
  'IPv4',
  'IPv6',
  'FQDN',
  'TCP',
  'UDP',
  'Local',
  'ClientIP',
  'LoadBalancer',
  'VIP',
  '',
]

const hostile = fc.oneof(
  { depthSize: 'small', withCrossShrink: true },
  fc.constantFrom<unknown>(...HOSTILE, 0, -1, 80, 8080, 65536, 1.5, Number.NaN, 1e300, true, false, null, undefined),
  fc.jsonValue({ maxDepth: 2 }),
)

/** Generates mostly the valid value, sometimes an arbitrary value or undefined. */
function mostly(good: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc.oneof(
    { arbitrary: good, weight: 30 },
    { arbitrary: hostile, weight: 1 },
    { arbitrary: fc.constant(undefined), weight: 1 },
  )
}

function fields(shape: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<unknown> {
  return fc.record(Object.fromEntries(Object.entries(shape).map(([key, value]) => [key, mostly(value)])))
}

const list = (item: fc.Arbitrary<unknown>) => fc.array(mostly(item), { maxLength: 4 })

const labels = fields({
  'kubernetes.io/service-name': fc.constant('web'),
  'service.kubernetes.io/topology-mode': fc.constant('Auto'),
})
const metadata = fields({
  namespace: fc.constant('ns1'),
  name: fc.constantFrom('web', 'web-1', 'web-2'),
  labels,
  annotations: labels,
})
const address = fc.constantFrom('10.0.0.1', '010.0.0.1', '10.0.0.2', 'fd00::1', 'FD00::2', '::1', '10.0.0.3', 'a\nb')
const port = fields({
  name: fc.constantFrom('http', 'http', 'dns', ''),
  protocol: fc.constantFrom('TCP', 'UDP'),
  port: fc.constantFrom(80, 8080),
  nodePort: fc.constantFrom(0, 30080),
})
const flag = fc.boolean()

const hostileService = fields({
  metadata,
  spec: fields({
    type: fc.constantFrom('ClusterIP', 'NodePort', 'LoadBalancer'),
    clusterIP: fc.constantFrom('10.0.0.1', '010.0.0.1', 'FD00::2'),
    clusterIPs: fc.constantFrom(['10.0.0.1'], ['fd00::1', '10.0.0.2']),
    ipFamilies: fc.constantFrom([], ['IPv4'], ['IPv6', 'IPv4']),
    ports: list(port),
    externalIPs: list(address),
    loadBalancerSourceRanges: list(fc.constantFrom(' 10.1.2.3/8', '::/0', '0.0.0.0/0', 'x')),
    sessionAffinity: fc.constantFrom('None', 'ClientIP'),
    sessionAffinityConfig: fields({ clientIP: fields({ timeoutSeconds: fc.integer({ min: 1, max: 90_000 }) }) }),
    externalTrafficPolicy: fc.constantFrom('Local', 'Cluster'),
    internalTrafficPolicy: fc.constantFrom('Local', 'Cluster'),
    healthCheckNodePort: fc.constant(30100),
  }),
  status: fields({ loadBalancer: fields({ ingress: list(fields({ ip: address, ipMode: fc.constant('VIP') })) }) }),
})

const hostileSlice = fields({
  metadata,
  addressType: fc.constantFrom('IPv4', 'IPv6', 'FQDN'),
  ports: list(port),
  endpoints: list(
    fields({
      addresses: list(address),
      conditions: fields({ ready: flag, serving: flag, terminating: flag }),
      nodeName: fc.constantFrom('node-1', 'node-2'),
      hints: fields({ forZones: list(fields({ name: fc.constant('a') })), forNodes: list(fields({ name: flag })) }),
    }),
  ),
})

const hostileEndpoints = fields({
  metadata,
  subsets: list(
    fields({
      addresses: list(fields({ ip: address, nodeName: fc.constant('node-1') })),
      notReadyAddresses: list(fields({ ip: address })),
      ports: list(port),
    }),
  ),
})

const hostileInput = fc.record({
  services: list(hostileService),
  endpointSlices: list(hostileSlice),
  endpoints: list(hostileEndpoints),
}) as unknown as fc.Arbitrary<{
  readonly services: readonly Service[]
  readonly endpointSlices: readonly EndpointSlice[]
  readonly endpoints: readonly Endpoints[]
}>

function deepFreeze(value: unknown): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return
  Object.freeze(value)
  for (const part of Object.values(value)) deepFreeze(part)
}

const LABEL = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/

function isPort(value: number): boolean {
  return Number.isInteger(value) && value >= 1 && value <= 65535
}

function expectSafe(servicePort: ServicePort, family: string): void {
  const { id, clusterIP, externalIPs, loadBalancerIPs, sourceRanges, endpoints } = servicePort
  expect(id.namespace).toMatch(LABEL)
  expect(id.name).toMatch(LABEL)
  if (id.portName !== '') expect(id.portName).toMatch(LABEL)
  expect(id.text).toBe(`${id.namespace}/${id.name}${id.portName === '' ? '' : `:${id.portName}`}`)
  for (const ip of [clusterIP, ...externalIPs, ...loadBalancerIPs, ...endpoints.map((endpoint) => endpoint.ip)]) {
    expect(parseIp(ip)?.text).toBe(ip)
    expect(familyOf(ip)).toBe(family)
  }
  for (const range of sourceRanges) expect(parseCidr(range.text)).toEqual(range)
  for (const each of [servicePort.port, ...endpoints.map((endpoint) => endpoint.port)]) expect(isPort(each)).toBe(true)
  for (const each of [servicePort.nodePort, servicePort.healthCheckNodePort])
    expect(each === 0 || isPort(each)).toBe(true)
  const texts = endpoints.map(({ text }) => text)
  expect(texts).toEqual([...new Set(texts)].sort())
}

describe('buildModels for arbitrary input', () => {
  it('neither throws nor changes hostile objects, and returns only safe names, addresses and numbers', () => {
    let seen = 0
    fc.assert(
      fc.property(hostileInput, fc.boolean(), (input, newest) => {
        deepFreeze(input)
        const { models } = buildModels(input, context(newest ? { features: NEWEST } : {}))
        for (const { family, servicePorts, healthCheckNodePorts } of models) {
          seen += servicePorts.reduce((sum, { endpoints }) => sum + 1 + endpoints.length, 0)
          for (const servicePort of servicePorts) expectSafe(servicePort, family)
          for (const each of healthCheckNodePorts) expect(isPort(each.port)).toBe(true)
        }
      }),
      { numRuns: 500 },
    )
    expect(seen).toBeGreaterThan(100)
  })

  it('accepts an arbitrary JSON value in place of an object', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const input = { services: [value], endpointSlices: [value], endpoints: [value] } as unknown as CompileInput
        expect(() => buildModels(input, context())).not.toThrow()
      }),
    )
  })

  it('returns the same models regardless of the order of objects', () => {
    const objects = fc.record({
      services: fc.uniqueArray(fc.constantFrom('a', 'b', 'b-1', 'c'), { minLength: 1 }),
      slices: fc.uniqueArray(fc.constantFrom('a', 'b', 'b-1', 'c', 'd'), { minLength: 1 }),
      addresses: fc.array(fc.constantFrom('10.0.0.1', '10.0.0.2', '10.0.0.10', '010.0.0.1'), { maxLength: 5 }),
    })
    const shuffled = objects.chain(({ services, slices, addresses }) => {
      const all = {
        services: services.map((name) => service({ externalIPs: ['x'] }, { metadata: { namespace: 'ns1', name } })),
        endpointSlices: slices.flatMap((name) => [
          slice(at(...addresses), { name: `${name}-1`, service: name }),
          slice(at('10.0.0.1'), { name: `${name}-2`, service: name }),
        ]),
        endpoints: services.map((name) => ({ metadata: { namespace: 'ns1', name } })),
      }
      const permuted = fc.record({
        services: fc.shuffledSubarray(all.services, { minLength: all.services.length }),
        endpointSlices: fc.shuffledSubarray(all.endpointSlices, { minLength: all.endpointSlices.length }),
        endpoints: fc.shuffledSubarray(all.endpoints, { minLength: all.endpoints.length }),
      })
      return fc.tuple(fc.constant(all), permuted)
    })
    fc.assert(
      fc.property(shuffled, ([all, permuted]) => {
        expect(buildModels(permuted, context())).toEqual(buildModels(all, context()))
      }),
    )
  })
})
