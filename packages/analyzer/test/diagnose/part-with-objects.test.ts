import type { EndpointSlice, Service } from '@kube-rules/types'
import { describe, expect, it } from 'vitest'
import type { CompileInput } from '../../../compiler/src/compilation/compile-result.js'
import type { ProxyMode } from '../../../compiler/src/targets/modes.js'
import { diagnoseQuestion } from './diagnosed-packet.js'

// A part of a dump, with the objects of the cluster: the objects show what should happen, and the dump only a part of
// what happens.

const node = (name: string, address: string) => ({
  metadata: { name },
  status: { addresses: [{ type: 'InternalIP', address }] },
})

const service = (spec: Service['spec']): Service => ({
  metadata: { namespace: 'shop', name: 'cart' },
  spec: { clusterIP: '10.96.3.4', selector: { app: 'cart' }, ports: [{ name: 'http', port: 80 }], ...spec },
})

type Endpoints = readonly (readonly [address: string, nodeName: string])[]

const slice = (...endpoints: Endpoints): EndpointSlice => ({
  metadata: { namespace: 'shop', name: 'cart-1', labels: { 'kubernetes.io/service-name': 'cart' } },
  addressType: 'IPv4',
  ports: [{ name: 'http', port: 8080 }],
  endpoints: endpoints.map(([address, nodeName]) => ({ addresses: [address], nodeName })),
})

const objects = (spec: Service['spec'], ...endpoints: Endpoints): CompileInput => ({
  nodes: [node('node-1', '192.0.2.11'), node('node-2', '192.0.2.12')],
  services: [service(spec)],
  endpointSlices: [slice(...endpoints)],
  configuration: { clusterCIDR: '10.244.0.0/16' },
})

const CLUSTER_IP = objects({}, ['10.244.1.5', 'node-1'], ['10.244.2.7', 'node-2'])
const NODE_PORT = { type: 'NodePort', ports: [{ name: 'http', port: 80, nodePort: 30080 }] }

interface Part {
  readonly input?: CompileInput
  readonly mode?: ProxyMode
  readonly from?: 'pod' | 'outside'
  readonly to?: string
  readonly dump: string | ((rules: string) => string)
}

const answersTo = ({ input = CLUSTER_IP, mode = 'iptables', from = 'pod', to = '10.96.3.4:80', dump }: Part) =>
  diagnoseQuestion({
    ...{ input, from, to, options: { mode } },
    dump: typeof dump === 'string' ? () => dump : dump,
  }).map(({ code, summary }) => `${code}: ${summary}`)

const linesWith = (pattern: RegExp) => (rules: string) =>
  `${rules
    .split('\n')
    .filter((line) => pattern.test(line))
    .join('\n')}\n`

describe('a part of the rules, with objects', () => {
  it('may drop packets because the node has no endpoint', () => {
    const input = objects({ ...NODE_PORT, externalTrafficPolicy: 'Local' }, ['10.244.2.7', 'node-2'])
    const dump = linesWith(/shop\/cart/)
    expect(answersTo({ input, from: 'outside', to: '192.0.2.11:30080', dump })).toEqual([
      'droppedNoLocalEndpoints: On node node-1, packets from external clients to 192.0.2.11:30080/TCP may be dropped: shop/cart:http has no endpoint on this node',
    ])
  })

  it('may reject packets because the Service has no endpoints', () => {
    const input = objects({})
    expect(answersTo({ input, dump: linesWith(/^\*filter|KUBE-SERVICES/) })).toEqual([
      'rejectedNoEndpoints: On node node-1, packets from a pod to 10.96.3.4:80/TCP may be rejected: shop/cart:http has no endpoints',
    ])
  })

  it('does not explain by the objects what a missing chain decides', () => {
    const dump =
      '-A KUBE-SERVICES -d 10.96.3.4/32 -p tcp -m comment --comment "shop/cart:http cluster IP" -m tcp --dport 80 -j KUBE-SVC-AAAABBBBCCCCDDDD\n'
    expect(answersTo({ input: objects({}), dump })).toEqual([
      'incompleteDump: It is unknown what happens to packets from a pod to 10.96.3.4:80/TCP: chain nat/KUBE-SVC-AAAABBBBCCCCDDDD is missing in the dump',
    ])
  })

  it('may send packets to an address that is not an endpoint', () => {
    const dump = (rules: string) => linesWith(/KUBE-(?:SVC|SEP)-/)(rules).replaceAll('10.244.2.7', '10.244.9.9')
    expect(answersTo({ dump })).toEqual([
      'outdatedRule: On node node-1, packets from a pod to 10.96.3.4:80/TCP may reach 10.244.9.9:8080 instead of an endpoint: a part of the rules of shop/cart:http is out of date on the node',
    ])
  })

  it('may have real servers on other nodes in spite of policy Local', () => {
    const input = objects(
      { ...NODE_PORT, type: 'LoadBalancer', externalIPs: ['203.0.113.9'], externalTrafficPolicy: 'Local' },
      ['10.244.1.5', 'node-1'],
      ['10.244.2.7', 'node-2'],
    )
    const dump = `# ipvsadm -Ln
TCP  203.0.113.9:80 rr
  -> 10.244.1.5:8080              Masq    1      0          0
  -> 10.244.2.7:8080              Masq    1      0          0
# ip route
`
    expect(answersTo({ input, mode: 'ipvs', from: 'outside', to: '203.0.113.9:80', dump })).toEqual([
      'outdatedRule: On node node-1, packets from external clients to 203.0.113.9:80/TCP may reach 10.244.2.7:8080 instead of an endpoint: a part of the rules of shop/cart:http is out of date on the node',
    ])
  })

  it('may be without an endpoint of the objects', () => {
    const input = objects({}, ['10.244.1.5', 'node-1'], ['10.244.2.7', 'node-2'], ['10.244.2.8', 'node-2'])
    const chain = 'KUBE-SVC-AAAABBBBCCCCDDDD'
    const rule = (endpoint: string) => `-m comment --comment "shop/cart:http -> ${endpoint}"`
    const dump = `-A KUBE-SERVICES -d 10.96.3.4/32 -p tcp -m comment --comment "shop/cart:http cluster IP" -m tcp --dport 80 -j ${chain}
-A ${chain} ${rule('10.244.1.5:8080')} -m statistic --mode random --probability 0.5 -j KUBE-SEP-AAAABBBBCCCCDDDD
-A ${chain} ${rule('10.244.2.7:8080')} -j KUBE-SEP-BBBBCCCCDDDDEEEE
-A KUBE-SEP-AAAABBBBCCCCDDDD -p tcp -m tcp -j DNAT --to-destination 10.244.1.5:8080
-A KUBE-SEP-BBBBCCCCDDDDEEEE -p tcp -m tcp -j DNAT --to-destination 10.244.2.7:8080
`
    expect(answersTo({ input, dump })).toEqual([
      'incompleteDump: On node node-1, packets from a pod to 10.96.3.4:80/TCP may reach only 10.244.1.5:8080, 10.244.2.7:8080: the dump has no rule that sends them to 10.244.2.8:8080',
    ])
  })

  it('may have a virtual server without real servers', () => {
    const dump = '# ipvsadm -Ln\nTCP  10.96.3.4:80 rr\n# ip route\n'
    expect(answersTo({ mode: 'ipvs', dump })).toEqual([
      'emptyVirtualServer: On node node-1, packets from a pod to 10.96.3.4:80/TCP may be rejected: their virtual server has no real servers',
    ])
  })

  it('may be without an element of a complete map', () => {
    const listed = (element: string) => `root@node-1:~# nft list map ip kube-proxy service-ips
table ip kube-proxy {
\tmap service-ips {
\t\ttype ipv4_addr . inet_proto . inet_service : verdict
\t\tcomment "ClusterIP, ExternalIP and LoadBalancer IP traffic"
\t\telements = { ${element} }
\t}
}
`
    const other = '10.96.0.1 . tcp . 443 : goto service-2QRHZV4L-default/kubernetes/tcp/https'
    expect(answersTo({ mode: 'nftables', dump: listed(other) })).toEqual([
      'missingRule: On node node-1, packets from a pod to 10.96.3.4:80/TCP may not be handled by kube-proxy: map service-ips has no element for 10.96.3.4 . tcp . 80',
    ])
    const own = '10.96.3.4 . tcp . 80 : goto service-AAAABBBB-shop/cart/tcp/http'
    expect(answersTo({ mode: 'nftables', dump: listed(`${other}, ${own}`) })).toEqual([
      expect.stringMatching(/^incompleteDump: It is unknown what happens/),
    ])
  })

  it('has no diagnosis if it sends packets to the endpoints of the objects', () => {
    expect(answersTo({ dump: linesWith(/KUBE-(?:SVC|SEP)-/) })).toEqual([])
  })
})
