import { describe, expect, it } from 'vitest'
import type { ChangeGroup } from '../../src/engine/change-groups.js'
import { createEngine } from '../../src/engine/engine.js'
import type { ChangeResult } from '../../src/engine/results.js'
import { DEFAULT_REQUEST } from '../../src/question/playground-request.js'
import { example } from '../support/answers.js'

const ENDPOINTS = [1, 2, 3].map((number) => endpoint(number))
const LOAD_BALANCER = { type: 'LoadBalancer', addresses: ['203.0.113.5'] }

function endpoint(number: number, more = ''): string {
  return `{ addresses: [10.244.0.${number}], nodeName: node-${number}, zone: z${number}${more} }`
}

interface ClusterOptions {
  readonly name?: string
  readonly label?: string
  readonly namespace?: string
  readonly type?: string
  readonly clusterIP?: string
  readonly ports?: string
  readonly spec?: string
  readonly addresses?: readonly string[]
  readonly endpointPorts?: string
  readonly endpoints?: readonly string[]
  readonly others?: string
}

/** Builds a Service on 3 nodes, its EndpointSlice and the first Node. */
function clusterOf({
  name = 'web',
  label = name,
  namespace = 'default',
  type = 'NodePort',
  clusterIP = '10.96.0.1',
  ports = '{ name: http, port: 80, nodePort: 30080 }',
  spec = '',
  addresses = [],
  endpointPorts = '{ name: http, port: 8080 }',
  endpoints = ENDPOINTS,
  others = '',
}: ClusterOptions = {}): string {
  return `apiVersion: v1
kind: Service
metadata: { name: ${name}, namespace: ${namespace} }
spec: { type: ${type}, clusterIP: ${clusterIP}, ports: [${ports}]${spec} }
status: { loadBalancer: { ingress: [${addresses.map((ip) => `{ ip: ${ip} }`).join()}] } }
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: { name: web-a, namespace: ${namespace}, labels: { kubernetes.io/service-name: ${label} } }
addressType: IPv4
ports: [${endpointPorts}]
endpoints: [${endpoints.join(', ')}]
---
apiVersion: v1
kind: Node
metadata: { name: node-1, labels: { topology.kubernetes.io/zone: z1 } }
spec: { podCIDR: 10.244.0.0/24 }
status: { addresses: [{ type: InternalIP, address: 192.168.0.2 }] }
${others}`
}

const API = `---
apiVersion: v1
kind: Service
metadata: { name: api, namespace: default }
spec: { clusterIP: 10.96.0.2, ports: [{ port: 443 }] }
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: { name: api-a, namespace: default, labels: { kubernetes.io/service-name: api } }
addressType: IPv4
ports: [{ port: 6443 }]
endpoints: [{ addresses: [10.244.1.9] }]
`

const TWO_PORTS = {
  ports: '{ name: http, port: 80, nodePort: 30080 }, { name: m, port: 9090, nodePort: 30090 }',
  endpointPorts: '{ name: http, port: 8080 }, { name: m, port: 9090 }',
}

function groupsOf(before: ClusterOptions, after: ClusterOptions): ChangeResult['groups'] {
  const request = { ...DEFAULT_REQUEST, before: clusterOf(before), objects: clusterOf(after) }
  return createEngine().answer('change', request).groups
}

describe('the sentence about a change', () => {
  it.each<readonly [string, ClusterOptions, ClusterOptions, string]>([
    [
      'an added Service',
      {},
      { others: API },
      'Service default/api: added: not handled by kube-proxy → 10.244.1.9:6443',
    ],
    [
      'a removed Service',
      { others: API },
      {},
      'Service default/api: removed: 10.244.1.9:6443 → not handled by kube-proxy',
    ],
    ['a renamed Service', {}, { name: 'shop' }, 'Service default/shop: name web → shop'],
    [
      'a renamed Service without its endpoints',
      {},
      { name: 'shop', label: 'web' },
      'Service default/shop: name web → shop: 3 endpoints → rejected or dropped',
    ],
    ['another namespace', {}, { namespace: 'shop' }, 'Service shop/web: namespace default → shop'],
    [
      'an added port',
      {},
      TWO_PORTS,
      'port m 9090/TCP with node port 30090 added: not handled by kube-proxy or dropped → 3 endpoints',
    ],
    [
      'a removed port',
      TWO_PORTS,
      {},
      'port m 9090/TCP with node port 30090 removed: 3 endpoints → not handled by kube-proxy or dropped',
    ],
    ['another port', {}, { ports: '{ name: http, port: 81, nodePort: 30080 }' }, 'port 80 → 81'],
    [
      'one of several ports',
      TWO_PORTS,
      { ...TWO_PORTS, ports: TWO_PORTS.ports.replace('30090', '30091') },
      'node port 30090 → 30091 (m)',
    ],
    ['another node port', {}, { ports: '{ name: http, port: 80, nodePort: 30081 }' }, 'node port 30080 → 30081'],
    [
      'another name of a port',
      {},
      { ports: '{ name: web, port: 80, nodePort: 30080 }', endpointPorts: '{ name: web, port: 8080 }' },
      'port name http → web',
    ],
    [
      'another name of a port, only in the Service',
      {},
      { ports: '{ name: web, port: 80, nodePort: 30080 }' },
      'port name http → web: 3 endpoints → rejected or dropped',
    ],
    [
      'another target port',
      {},
      { ports: '{ name: http, port: 80, nodePort: 30080, targetPort: 8080 }' },
      'target port 8080 added',
    ],
    ['another port of the endpoints', {}, { endpointPorts: '{ name: http, port: 8081 }' }, 'endpoint port 8080 → 8081'],
    [
      'another protocol',
      {},
      {
        ports: '{ name: http, port: 80, nodePort: 30080, protocol: UDP }',
        endpointPorts: '{ name: http, port: 8080, protocol: UDP }',
      },
      'protocol TCP → UDP',
    ],
    [
      'an added endpoint',
      {},
      { endpoints: [...ENDPOINTS, endpoint(4)] },
      'endpoint 10.244.0.4 added: each endpoint 1/3 → 1/4',
    ],
    [
      'a removed endpoint',
      {},
      { endpoints: ENDPOINTS.slice(1) },
      'endpoint 10.244.0.1 removed: each endpoint 1/3 → 1/2',
    ],
    [
      'a replaced endpoint',
      {},
      { endpoints: [...ENDPOINTS.slice(0, 2), endpoint(4)] },
      'endpoint 10.244.0.3 → 10.244.0.4',
    ],
    [
      'many added endpoints',
      { endpoints: [] },
      { endpoints: [1, 2, 3, 4, 5].map((number) => endpoint(number)) },
      'endpoint 10.244.0.1, 10.244.0.2, 10.244.0.3 and 2 more added: rejected or dropped → 5 endpoints',
    ],
    [
      'the last endpoint removed',
      { endpoints: ENDPOINTS.slice(0, 1) },
      { endpoints: [] },
      'endpoint 10.244.0.1 removed: 10.244.0.1:8080 → rejected or dropped',
    ],
    [
      'an endpoint that is not ready',
      {},
      { endpoints: [...ENDPOINTS.slice(0, 2), endpoint(3, ', conditions: { ready: false }')] },
      'endpoint 10.244.0.3 ready → not ready: each endpoint 1/3 → 1/2',
    ],
    [
      'zone hints',
      { endpoints: ENDPOINTS.slice(0, 2) },
      { endpoints: [1, 2].map((number) => endpoint(number, `, hints: { forZones: [{ name: z${number} }] }`)) },
      'zone hint of 10.244.0.1 none → z1, zone hint of 10.244.0.2 none → z2: each endpoint 1/2 → 1',
    ],
    ['session affinity', {}, { spec: ', sessionAffinity: ClientIP' }, 'session affinity none → 10800 s'],
    ['no session affinity', { spec: ', sessionAffinity: ClientIP' }, {}, 'session affinity 10800 s → none'],
    [
      'the timeout of session affinity',
      { spec: ', sessionAffinity: ClientIP' },
      { spec: ', sessionAffinity: ClientIP, sessionAffinityConfig: { clientIP: { timeoutSeconds: 600 } }' },
      'session affinity 10800 s → 600 s',
    ],
    [
      'the external traffic policy',
      {},
      { spec: ', externalTrafficPolicy: Local' },
      'external traffic policy Cluster → Local: each endpoint 1/3 → 1; masqueraded → client IP',
    ],
    [
      'the external traffic policy on a node without endpoints',
      { endpoints: ENDPOINTS.slice(1, 2) },
      { endpoints: ENDPOINTS.slice(1, 2), spec: ', externalTrafficPolicy: Local' },
      'external traffic policy Cluster → Local: 10.244.0.2:8080 → dropped',
    ],
    [
      'the internal traffic policy',
      { spec: ', internalTrafficPolicy: Local' },
      { spec: ', internalTrafficPolicy: Cluster' },
      'internal traffic policy Local → Cluster: each endpoint 1 → 1/3',
    ],
    [
      'the first source range',
      LOAD_BALANCER,
      { ...LOAD_BALANCER, spec: ', loadBalancerSourceRanges: [198.51.100.0/24]' },
      'source range any → 198.51.100.0/24: 3 endpoints → dropped',
    ],
    [
      'another source range',
      { ...LOAD_BALANCER, spec: ', loadBalancerSourceRanges: [192.0.2.0/24]' },
      { ...LOAD_BALANCER, spec: ', loadBalancerSourceRanges: [198.51.100.0/24]' },
      'source range 192.0.2.0/24 → 198.51.100.0/24',
    ],
    [
      'one more source range',
      { ...LOAD_BALANCER, spec: ', loadBalancerSourceRanges: [192.0.2.0/24]' },
      { ...LOAD_BALANCER, spec: ', loadBalancerSourceRanges: [192.0.2.0/24, 198.51.100.0/24]' },
      'source range 198.51.100.0/24 added: dropped → 3 endpoints',
    ],
    [
      'a load-balancer IP',
      { type: 'LoadBalancer' },
      LOAD_BALANCER,
      'load-balancer IP 203.0.113.5 added: not handled by kube-proxy → 3 endpoints',
    ],
    [
      'another load-balancer IP',
      LOAD_BALANCER,
      { ...LOAD_BALANCER, addresses: ['203.0.113.6'] },
      'load-balancer IP 203.0.113.5 → 203.0.113.6',
    ],
    [
      'another health-check node port',
      { ...LOAD_BALANCER, spec: ', externalTrafficPolicy: Local, healthCheckNodePort: 32000' },
      { ...LOAD_BALANCER, spec: ', externalTrafficPolicy: Local, healthCheckNodePort: 32001' },
      'health-check node port 32000 → 32001',
    ],
    [
      'an external IP',
      {},
      { spec: ', externalIPs: [203.0.113.9]' },
      'external IP 203.0.113.9 added: not handled by kube-proxy → 3 endpoints',
    ],
    [
      'another external IP',
      { spec: ', externalIPs: [203.0.113.9]' },
      { spec: ', externalIPs: [203.0.113.10]' },
      'external IP 203.0.113.9 → 203.0.113.10',
    ],
    ['another cluster IP', {}, { clusterIP: '10.96.0.7' }, 'cluster IP 10.96.0.1 → 10.96.0.7'],
    [
      'a headless Service',
      { type: 'ClusterIP', ports: '{ name: http, port: 80 }' },
      { type: 'ClusterIP', ports: '{ name: http, port: 80 }', clusterIP: 'None' },
      'cluster IP 10.96.0.1 → None: 3 endpoints → not handled by kube-proxy',
    ],
    [
      'the type ClusterIP',
      {},
      { type: 'ClusterIP', ports: '{ name: http, port: 80 }' },
      'type NodePort → ClusterIP, node port 30080 removed: 3 endpoints → not handled by kube-proxy or dropped',
    ],
    [
      'the type NodePort',
      { type: 'ClusterIP', ports: '{ name: http, port: 80 }' },
      {},
      'type ClusterIP → NodePort, node port 30080 added: not handled by kube-proxy or dropped → 3 endpoints',
    ],
    [
      'the type LoadBalancer',
      {},
      LOAD_BALANCER,
      'type NodePort → LoadBalancer, load-balancer IP 203.0.113.5 added: not handled by kube-proxy → 3 endpoints',
    ],
    [
      'a second IP family',
      { spec: ', ipFamilies: [IPv4], clusterIPs: [10.96.0.1]' },
      { spec: ', ipFamilyPolicy: PreferDualStack, ipFamilies: [IPv4, IPv6], clusterIPs: [10.96.0.1, "fd00::1"]' },
      'IP family IPv6 added, cluster IP fd00::1 added, IP family policy SingleStack → PreferDualStack: ' +
        'not handled by kube-proxy → rejected',
    ],
    [
      'another IP family',
      { spec: ', ipFamilies: [IPv4], clusterIPs: [10.96.0.1]' },
      { clusterIP: '"fd00::1"', spec: ', ipFamilies: [IPv6], clusterIPs: ["fd00::1"]' },
      'IP family IPv4 → IPv6, cluster IP 10.96.0.1 → fd00::1: ' +
        '3 endpoints → not handled by kube-proxy or dropped; not handled by kube-proxy → rejected',
    ],
    [
      'traffic distribution',
      {},
      { spec: ', trafficDistribution: PreferClose' },
      'traffic distribution none → PreferClose',
    ],
    ['unready addresses', {}, { spec: ', publishNotReadyAddresses: true' }, 'publish not ready addresses false → true'],
    [
      'many fields',
      {},
      {
        ports: '{ name: web, port: 81, nodePort: 30081 }',
        clusterIP: '10.96.0.7',
        spec: ', externalIPs: [203.0.113.9], sessionAffinity: ClientIP',
      },
      'cluster IP 10.96.0.1 → 10.96.0.7, session affinity none → 10800 s, external IP 203.0.113.9 added, ' +
        'port name http → web and 2 more changes: ' +
        'not handled by kube-proxy → rejected; 3 endpoints → not handled by kube-proxy or dropped',
    ],
  ])('describes %s', (_name, before, after, expected) => {
    const [group] = groupsOf(before, after)
    const text = `${group?.object}: ${group?.sentence}`
    expect(text).toBe(expected.startsWith('Service ') ? expected : `Service default/web: ${expected}`)
  })

  it('names the configuration as the cause of a change', () => {
    const configuration = (mode: string) =>
      `---\napiVersion: kubeproxy.config.k8s.io/v1alpha1\nkind: KubeProxyConfiguration\nmode: ${mode}\n`
    const [group] = groupsOf({ others: configuration('iptables') }, { others: configuration('ipvs') })
    expect(group?.sentence).toMatch(/^KubeProxyConfiguration mode iptables → ipvs: /)
  })

  it('names only the changes that cause an effect if Services and the configuration change', () => {
    const { objects } = example('node-port')
    const [own = '', ...others] = objects.split('---\n')
    const documents = [own, ...others.filter((text) => !text.includes('KubeProxyConfiguration'))]
    const edited = documents.join('---\n').replace('10.96.0.10\n', '10.96.0.10\n  externalIPs: [203.0.113.9]\n')
    const request = { ...DEFAULT_REQUEST, before: objects, objects: edited }
    const { groups } = createEngine().answer('change', request)
    expect(groups.map(({ object, sentence }) => [object, sentence])).toEqual([
      ['Service shop/web', 'external IP 203.0.113.9 added: not handled by kube-proxy → 2 endpoints'],
      [
        '',
        expect.stringMatching(
          /^KubeProxyConfiguration .*clusterCIDR 10\.244\.0\.0\/16 removed.*: masqueraded → client IP/,
        ),
      ],
    ])
    expect(groups[1]?.example).toEqual({
      packet: 'from outside → 10.96.0.10:80',
      before: '2 endpoints, each 1/2, masqueraded',
      after: '2 endpoints, each 1/2',
    })
  })

  it('names unknown fields as such', () => {
    const { objects } = example('node-port')
    const edited = objects.replace('externalTrafficPolicy: Cluster', 'externalTrafficPolcy: Local')
    const [group] = createEngine().answer('change', { ...DEFAULT_REQUEST, before: objects, objects: edited }).groups
    expect(group?.sentence).toBe('unknown field externalTrafficPolcy Local added')
  })

  it('describes packets that reach no endpoint before or after the change', () => {
    const spec = ', externalTrafficPolicy: Local'
    const [group] = groupsOf({ spec, endpoints: ENDPOINTS.slice(1, 2) }, { spec, endpoints: [] })
    expect(group?.sentence).toContain('; dropped → rejected')
  })

  it('is marked as a loss only if packets are lost', () => {
    const isLost = (before: ClusterOptions, after: ClusterOptions) => groupsOf(before, after)[0]?.isLost
    expect(isLost({}, { endpoints: [] })).toBe(true)
    expect(isLost({ endpoints: [] }, {})).toBe(false)
    expect(isLost({}, { endpoints: ENDPOINTS.slice(1) })).toBe(false)
    // All packets reach the same endpoints as before through the new port.
    expect(isLost({}, { ports: '{ name: http, port: 80, nodePort: 30081 }' })).toBe(false)
  })

  it.each<readonly [string, ClusterOptions, ClusterOptions, ChangeGroup['example']]>([
    [
      'an endpoint is added',
      { endpoints: ENDPOINTS.slice(1) },
      {},
      { packet: 'from pod → 10.96.0.1:80', before: '2 endpoints, each 1/2', after: '3 endpoints, each 1/3' },
    ],
    [
      'the last endpoint is removed',
      { endpoints: ENDPOINTS.slice(1, 2) },
      { endpoints: [] },
      { packet: 'from pod → 10.96.0.1:80', before: '10.244.0.2:8080', after: 'rejected' },
    ],
    [
      'only packets from outside are handled differently',
      {},
      { spec: ', externalTrafficPolicy: Local' },
      {
        packet: 'from outside → 192.168.0.2:30080',
        before: '3 endpoints, each 1/3, masqueraded',
        after: '10.244.0.1:8080',
      },
    ],
    ['no packet is handled differently', {}, { spec: ', publishNotReadyAddresses: true' }, undefined],
  ])('has an example packet with both outcomes when %s', (_name, before, after, expected) => {
    const [group] = groupsOf(before, after)
    expect(group?.example).toEqual(expected)
    if (group?.example === undefined) return
    const { packet, ...outcomes } = group.example
    for (const side of ['before', 'after'] as const) {
      const objects = clusterOf(side === 'before' ? before : after)
      const { paths } = createEngine().answer('packet', { ...DEFAULT_REQUEST, objects, packet })
      const [first] = paths
      const share =
        paths.length > 1 ? `${paths.length} endpoints, each ${first?.weight}` : first?.endpoint || first?.kind
      expect(`${share}${first?.masqueraded ? ', masqueraded' : ''}`).toBe(outcomes[side])
    }
  })

  it.each(['iptables', 'ipvs', 'nftables'])('names the first endpoint in %s mode', (mode) => {
    const [before, objects] = [clusterOf({ endpoints: [] }), clusterOf({ endpoints: ENDPOINTS.slice(0, 1) })]
    const { groups } = createEngine().answer('change', { ...DEFAULT_REQUEST, mode, before, objects })
    expect(groups[0]?.sentence).toContain(' → 10.244.0.1:8080')
  })
})
