import type { EndpointSlice, Service } from '@kube-rules/types'
import { describe, expect, it } from 'vitest'
import type { CompileInput } from '../../../compiler/src/compilation/compile-result.js'
import type { ServicePortId } from '../../../compiler/src/model/services/service-port.js'
import { createEndpointOrigins } from '../../src/diagnose/endpoint-origin.js'
import { diagnoseOnly, diagnoseQuestion } from './diagnosed-packet.js'

const node = (name: string, address: string) => ({
  metadata: { name },
  status: { addresses: [{ type: 'InternalIP', address }] },
})

const service = (namespace: string, name: string, clusterIP: string, spec: Service['spec'] = {}): Service => ({
  metadata: { namespace, name },
  spec: { clusterIP, ports: [{ name: 'http', port: 80 }], ...spec },
})

type Target = { readonly kind: string; readonly namespace?: string; readonly name: string }

function slice(
  [namespace, name]: readonly [string, string],
  endpoints: readonly (readonly [string, Target?])[],
  managedBy?: string,
): EndpointSlice {
  const labels = {
    'kubernetes.io/service-name': name,
    ...(managedBy && { 'endpointslice.kubernetes.io/managed-by': managedBy }),
  }
  return {
    metadata: { namespace, name: `${name}-1`, labels },
    addressType: 'IPv4',
    ports: [{ name: 'http', port: 8080 }],
    endpoints: endpoints.map(([address, targetRef]) => ({ addresses: [address], ...(targetRef && { targetRef }) })),
  }
}

const WEB = ['shop', 'web'] as const
const DB = ['bank', 'db'] as const
const POD = { kind: 'Pod', namespace: 'bank', name: 'db-0' }
const SELECTOR = { selector: { app: 'web' } }

const clusterOf = (
  web: EndpointSlice,
  spec: Service['spec'] = {},
  ...slices: readonly EndpointSlice[]
): CompileInput => ({
  nodes: [node('node-1', '192.0.2.11'), node('node-2', '192.0.2.12')],
  services: [service('shop', 'web', '10.96.20.5', spec), service('bank', 'db', '10.96.20.9')],
  endpointSlices: [web, ...slices],
  configuration: { clusterCIDR: '10.244.0.0/16' },
})

const MODES = ['iptables', 'ipvs', 'nftables', 'userspace'] as const
const question = (input: CompileInput, mode: (typeof MODES)[number] = 'iptables') =>
  ({ input, from: 'pod', to: '10.96.20.5:80', options: { mode } }) as const

describe('an endpoint that is no pod of the namespace of its Service', () => {
  const bank = slice(DB, [['10.244.2.99', POD]])

  it('may be a pod of another namespace', () => {
    const input = clusterOf(slice(WEB, [['10.244.2.99']]), {}, bank)
    expect(diagnoseOnly(question(input))).toMatchObject({
      code: 'unexpectedEndpoint',
      summary:
        'On node node-1, packets from a pod to 10.96.20.5:80/TCP reach 10.244.2.99:8080, Pod bank/db-0, which is in another namespace',
      cause:
        'EndpointSlice web-1 of Service shop/web lists 10.244.2.99; clients of the Service reach this pod unless a network policy of namespace bank prevents it',
      steps: [
        { command: 'kubectl -n shop get endpointslice web-1 -o yaml --show-managed-fields' },
        {
          text: 'If it is not intended, remove 10.244.2.99 from EndpointSlice web-1 with kubectl',
          command: 'kubectl -n shop edit endpointslice web-1',
          change: { kind: 'removeEndpoint', namespace: 'shop', slice: 'web-1', address: '10.244.2.99' },
          outcome: 'the packets are rejected',
        },
      ],
      object: 'Service shop/web',
    })
  })

  it('is found among several endpoints, and its EndpointSlice names the pod', () => {
    const input = clusterOf(slice(WEB, [['10.244.1.5'], ['10.244.2.99', POD]]))
    expect(diagnoseOnly(question(input))).toMatchObject({
      summary:
        'On node node-1, packets from a pod to 10.96.20.5:80/TCP may reach 10.244.2.99:8080, Pod bank/db-0, which is in another namespace',
      steps: [{}, { outcome: 'the packets reach 10.244.1.5:8080' }],
    })
  })

  it.each(['192.0.2.11', '192.0.2.12'])('may be a node with the address %s', (address) => {
    const input = clusterOf(slice(WEB, [[address]]))
    const name = address === '192.0.2.11' ? 'node-1' : 'node-2'
    expect(diagnoseOnly(question(input))).toMatchObject({
      code: 'unexpectedEndpoint',
      summary: `On node node-1, packets from a pod to 10.96.20.5:80/TCP reach ${address}:8080, an address of Node ${name}, and no pod`,
      cause: `EndpointSlice web-1 of Service shop/web lists ${address}; it refers to no pod, so the packets reach what listens on the node, and network policies of pods do not apply`,
    })
  })

  it('may be a pod in the network of its node, if the selector may have selected it', () => {
    expect(diagnoseOnly(question(clusterOf(slice(WEB, [['192.0.2.12']]), SELECTOR)))).toMatchObject({
      code: 'unexpectedEndpoint',
      summary:
        'On node node-1, packets from a pod to 10.96.20.5:80/TCP reach 192.0.2.12:8080, an address of Node node-2, and maybe no pod',
      cause:
        'EndpointSlice web-1 of Service shop/web lists 192.0.2.12; it refers to no pod, so unless a pod with hostNetwork is there, the packets reach what listens on the node, and network policies of pods do not apply',
    })
  })

  it('is found next to the endpoints of the selector', () => {
    const own = slice(WEB, [['10.244.1.5', { ...POD, namespace: 'shop', name: 'web-0' }]])
    const added = {
      ...slice(WEB, [['192.0.2.12']], 'me'),
      metadata: { ...slice(WEB, [], 'me').metadata, name: 'web-2' },
    }
    expect(diagnoseOnly(question(clusterOf(own, SELECTOR, added))).cause).toContain(
      'EndpointSlice web-2 of Service shop/web lists 192.0.2.12',
    )
  })

  it('may be the cluster IP of a Service, to which no packet is translated again', () => {
    const input = clusterOf(slice(WEB, [['10.96.20.9']]))
    expect(diagnoseOnly(question(input))).toMatchObject({
      summary:
        'On node node-1, packets from a pod to 10.96.20.5:80/TCP reach 10.96.20.9:8080, the cluster IP of Service bank/db, and no pod',
      cause:
        'EndpointSlice web-1 of Service shop/web lists 10.96.20.9; a node changes the destination of a connection only once, so the packets do not reach the endpoints of Service bank/db',
      steps: [
        {
          text: 'List the endpoints of Service bank/db instead of its cluster IP, or let clients use Service bank/db; with kubectl',
          command: 'kubectl -n shop edit endpointslice web-1',
        },
      ],
    })
  })

  it.each([
    ['a pod of its namespace', slice(WEB, [['10.244.2.99', { kind: 'Pod', name: 'web-0' }]]), {}],
    ['a pod in the network of its node', slice(WEB, [['192.0.2.12', { kind: 'Pod', name: 'web-0' }]]), {}],
    ['a Node', slice(WEB, [['192.0.2.12', { kind: 'Node', name: 'node-2' }]]), {}],
    ['an address outside the cluster', slice(WEB, [['198.51.100.3']]), {}],
  ] as const)('is expected if it is %s', (_, web, spec) => {
    expect(diagnoseQuestion(question(clusterOf(web, spec, bank)))).toEqual([])
  })

  it('is expected if it is the API server', () => {
    const input: CompileInput = {
      nodes: [node('node-1', '192.0.2.11')],
      services: [service('default', 'kubernetes', '10.96.20.5')],
      endpointSlices: [slice(['default', 'kubernetes'], [['192.0.2.11']])],
    }
    expect(diagnoseQuestion(question(input))).toEqual([])
  })

  it.each(MODES)('is found in %s mode', (mode) => {
    const codes = diagnoseQuestion(question(clusterOf(slice(WEB, [['10.244.2.99']]), {}, bank), mode)).map(
      ({ code }) => code,
    )
    // The process of kube-proxy, not a rule, sends packets to endpoints in userspace mode.
    expect(codes).toEqual(mode === 'userspace' ? [] : ['unexpectedEndpoint'])
  })
})

describe('createEndpointOrigins', () => {
  it('reads the EndpointSlices once for all endpoints', () => {
    let reads = 0
    const endpointSlices = {
      [Symbol.iterator]: () => {
        reads++
        return [slice(WEB, [['10.244.1.5'], ['10.244.1.6']])][Symbol.iterator]()
      },
    }
    const originOf = createEndpointOrigins({ ...clusterOf(slice(WEB, [])), endpointSlices })
    const web = { namespace: 'shop', name: 'web' } as ServicePortId
    expect(['10.244.1.5', '10.244.1.6', '10.244.1.7'].map((ip) => originOf(web, { ip })?.slice)).toEqual([
      'web-1',
      'web-1',
      undefined,
    ])
    expect(reads).toBe(1)
  })
})

it('a step that removes an endpoint accepts EndpointSlices with items that are no endpoints', () => {
  const hostile = { ...slice(WEB, []), endpoints: [null, 7, { addresses: null }, { addresses: ['10.244.2.99'] }] }
  const input = clusterOf(hostile as unknown as EndpointSlice, {}, slice(DB, [['10.244.2.99', POD]]))
  expect(diagnoseOnly(question(input)).code).toBe('unexpectedEndpoint')
})
