import { describe, expect, it } from 'vitest'
import { compile } from '../../../compiler/src/compilation/compile.js'
import { DUAL_STACK, service, slice } from '../../../compiler/test/support/objects.js'
import { createHealthCheckResponse, healthCheckServersOf } from '../../src/health/health-check-servers.js'
import { countServicesWithoutLocalEndpoints } from '../../src/health/services-without-local-endpoints.js'

/** Compiles a Service of both families, with one IPv4 endpoint on this node or another one. */
function resultOf(spec: Parameters<typeof service>[0], nodeName: string, nodePortAddresses: readonly string[] = []) {
  const input = {
    services: [service({ ...DUAL_STACK, ...spec })],
    endpointSlices: [slice([{ addresses: ['10.244.1.1'], nodeName }])],
    configuration: { nodePortAddresses },
    host: { interfaces: [{ name: 'eth0', addresses: ['192.168.0.2/24', 'fd00::2/64'] }] },
  }
  return compile(input, { nodeName: 'node-1' })
}

const LOCAL = { type: 'LoadBalancer', externalTrafficPolicy: 'Local', healthCheckNodePort: 32_000 } as const

describe('healthCheckServersOf', () => {
  const server = { namespace: 'ns1', name: 'web', port: 32_000 }
  const IPV4 = { ...server, family: 'IPv4', addresses: ['0.0.0.0'] }
  const IPV6 = { ...server, family: 'IPv6', addresses: ['::'] }

  it('returns one server per family, with the endpoints of this family', () => {
    expect(healthCheckServersOf(resultOf(LOCAL, 'node-1'))).toEqual([
      { ...IPV4, localEndpoints: 1 },
      { ...IPV6, localEndpoints: 0 },
    ])
  })

  it('returns no server for a family that the Service does not have', () => {
    const single = { clusterIP: 'fd00:96::1', clusterIPs: ['fd00:96::1'], ipFamilies: ['IPv6'] } as const
    expect(healthCheckServersOf(resultOf({ ...LOCAL, ...single }, 'node-1'))).toEqual([{ ...IPV6, localEndpoints: 0 }])
  })

  it('returns the addresses of the family that serve node ports', () => {
    const result = resultOf(LOCAL, 'node-1', ['192.168.0.0/16', 'fd00::/16'])
    expect(healthCheckServersOf(result)).toEqual([
      { ...IPV4, localEndpoints: 1, addresses: ['192.168.0.2'] },
      { ...IPV6, localEndpoints: 0, addresses: ['fd00::2'] },
    ])
  })
})

describe('createHealthCheckResponse', () => {
  it('returns the same answer as kube-proxy', () => {
    expect(createHealthCheckResponse({ namespace: 'ns1', name: 'web', localEndpoints: 2 }, true)).toEqual({
      status: 200,
      headers: {
        'content-type': 'application/json',
        'x-content-type-options': 'nosniff',
        'x-load-balancing-endpoint-weight': '2',
      },
      body: '{\n\t"service": {\n\t\t"namespace": "ns1",\n\t\t"name": "web"\n\t},\n\t"localEndpoints": 2,\n\t"serviceProxyHealthy": true\n}',
    })
  })

  it.each([
    [0, true],
    [2, false],
  ])('returns status 503 for %i endpoints if the health of the proxy is %j', (localEndpoints, isHealthy) => {
    expect(createHealthCheckResponse({ namespace: 'ns1', name: 'web', localEndpoints }, isHealthy).status).toBe(503)
  })
})

describe('countServicesWithoutLocalEndpoints', () => {
  const countsOf = (spec: Parameters<typeof service>[0], nodeName: string) =>
    resultOf(spec, nodeName).families.map(({ plan }) => countServicesWithoutLocalEndpoints(plan))[0]

  it('counts each traffic policy Local for which the node has no endpoint', () => {
    const external = { ...LOCAL, externalIPs: ['203.0.113.1'] }
    expect(countsOf(external, 'node-1')).toEqual({ internal: 0, external: 0 })
    expect(countsOf(external, 'node-2')).toEqual({ internal: 0, external: 1 })
    expect(countsOf({ ...external, internalTrafficPolicy: 'Local' }, 'node-2')).toEqual({ internal: 1, external: 1 })
  })
})
