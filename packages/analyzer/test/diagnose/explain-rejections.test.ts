import type { EndpointSlice, Endpoints, Packet, Service } from '@kube-rules/types'
import { describe, expect, it } from 'vitest'
import { compile } from '../../../compiler/src/compilation/compile.js'
import { loadBalancer, service, slice } from '../../../compiler/test/support/objects.js'
import { createRejectionExplainer } from '../../src/diagnose/explain-rejections.js'

const NODE = { metadata: { name: 'node-1' }, status: { addresses: [{ type: 'InternalIP', address: '192.168.0.2' }] } }
const SELECTOR = { app: 'web' }
const READY = { addresses: ['10.244.1.5'], nodeName: 'node-1' }
const NOT_READY = { ...READY, conditions: { ready: false } }
const ELSEWHERE = { addresses: ['10.244.2.7'], nodeName: 'node-2' }

function explain(
  object: Service,
  slices: readonly EndpointSlice[],
  fields: Partial<Packet> = {},
  endpoints: readonly Endpoints[] = [],
): string | undefined {
  const input = { services: [object], endpointSlices: slices, endpoints, nodes: [NODE] }
  const packet = { source: '198.51.100.9', sourcePort: 40000, destination: '10.96.0.1', destinationPort: 80, ...fields }
  return createRejectionExplainer(
    input,
    compile(input, { nodeName: 'node-1' }),
  )({ protocol: 'TCP', origin: 'outside', ...packet })
}

describe('createRejectionExplainer', () => {
  it.each<[string, Service, readonly EndpointSlice[]]>([
    ['no endpoints; it has no selector, and no EndpointSlice lists endpoints for it', service(), []],
    [
      'no endpoints; no pod that matches its selector app=web is listed in an EndpointSlice',
      service({ selector: SELECTOR }),
      [],
    ],
    [
      'no endpoints; its selector matches pods, but EndpointSlice web-1 has no port named http (it has metrics 9090/TCP)',
      service({ selector: SELECTOR, ports: [{ name: 'http', port: 80, targetPort: 8080 }] }),
      [slice([READY], { ports: [{ name: 'metrics', port: 9090 }] })],
    ],
    [
      'no endpoints; its selector matches pods, but EndpointSlice web-1 has no port named http (it has none); its targetPort is htp',
      service({ selector: SELECTOR, ports: [{ name: 'http', port: 80, targetPort: 'htp' }] }),
      [slice([READY], { ports: [] })],
    ],
    ['no usable endpoint; not ready: 10.244.1.5:8080 on node-1', service(), [slice([NOT_READY])]],
  ])('explains that the Service has %s', (reason, object, slices) => {
    expect(explain(object, slices)).toBe(`the Service has ${reason}`)
  })

  it.each<[string, Service, Endpoints['subsets']]>([
    [
      'it has no selector, and its Endpoints web has no port named http (it has 8080/TCP)',
      service({ ports: [{ name: 'http', port: 80 }] }),
      [{ addresses: [{ ip: '10.244.1.5' }], ports: [{ port: 8080 }] }],
    ],
    [
      'it has no selector, and its Endpoints web has no port without a name (it has admin 8081/TCP, http 8080/TCP)',
      service({ ports: [{ port: 80 }] }),
      [
        {
          notReadyAddresses: [{ ip: '10.244.1.5' }],
          ports: [
            { name: 'admin', port: 8081 },
            { name: 'http', port: 8080 },
          ],
        },
      ],
    ],
    [
      'its selector matches pods, but Endpoints web has no port named http (it has http 8080/UDP)',
      service({ selector: SELECTOR, ports: [{ name: 'http', port: 80 }] }),
      [{ addresses: [{ ip: '10.244.1.5' }], ports: [{ name: 'http', port: 8080, protocol: 'UDP' }] }],
    ],
    ['it has no selector, and no EndpointSlice lists endpoints for it', service(), []],
    [
      'it has no selector, and no EndpointSlice lists endpoints for it',
      service({ ports: [{ name: 'http', port: 80 }] }),
      [{ addresses: [{ ip: 'fd00::5' }], ports: [{ port: 8080 }] }],
    ],
  ])('explains, for an Endpoints object, that %s', (reason, object, subsets) => {
    const endpoints = [{ metadata: service().metadata, subsets } as Endpoints]
    expect(explain(object, [], {}, endpoints)).toBe(`the Service has no endpoints; ${reason}`)
  })

  it('explains packets to a Service with policy Local and no endpoint on the node', () => {
    const local = loadBalancer({ externalTrafficPolicy: 'Local' })
    expect(explain(local, [slice([ELSEWHERE])], { destination: '203.0.113.1' })).toBe(
      'the traffic policy is Local, and no endpoint on this node is usable; nodes with an endpoint: node-2',
    )
  })

  it('explains packets from a source outside the source ranges', () => {
    const limited = loadBalancer({ loadBalancerSourceRanges: ['192.0.2.0/24'] })
    expect(explain(limited, [slice([READY])], { destination: '203.0.113.1' })).toBe(
      'no source range of the Service contains its source',
    )
  })

  it.each<[string, Partial<Packet>]>([
    ['reaches an endpoint', {}],
    ['is for no Service', { destinationPort: 81 }],
    ['is of a family that is not compiled', { source: 'fd00::9', destination: 'fd00:96::1' }],
  ])('returns undefined for a packet that %s', (_case, fields) => {
    expect(explain(service(), [slice([READY])], fields)).toBeUndefined()
  })
})
