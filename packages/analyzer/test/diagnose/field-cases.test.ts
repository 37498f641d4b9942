import type { EndpointSlice, Packet, Service } from '@kube-rules/types'
import { describe, expect, it } from 'vitest'
import { compile } from '../../../compiler/src/compilation/compile.js'
import type { CompileInput } from '../../../compiler/src/compilation/compile-result.js'
import { print } from '../../../compiler/src/print/print.js'
import { parseDump } from '../../src/dump/parse-dump.js'
import { verify } from '../../src/verify/verify.js'
import { diagnoseOnly, diagnoseQuestion, type PacketQuestion } from './diagnosed-packet.js'

// Situations from public reports, rebuilt with other objects.

const node = (name: string, address: string) => ({
  metadata: { name },
  status: { addresses: [{ type: 'InternalIP', address }] },
})
const NODES = [node('node-1', '192.0.2.11'), node('node-2', '192.0.2.12')]

const web = (spec: Service['spec'] = {}, status: Service['status'] = {}): Service => ({
  metadata: { namespace: 'shop', name: 'web' },
  spec: { clusterIP: '10.96.20.5', ports: [{ name: 'http', port: 80, nodePort: 30080 }], ...spec },
  status,
})

function slice(fields: Partial<EndpointSlice> = {}): EndpointSlice {
  return {
    metadata: { namespace: 'shop', name: 'web-1', labels: { 'kubernetes.io/service-name': 'web' } },
    addressType: 'IPv4',
    ports: [{ name: 'http', port: 8080 }],
    endpoints: [{ addresses: ['10.244.2.7'], nodeName: 'node-2' }],
    ...fields,
  }
}

const clusterOf = (fields: Partial<CompileInput> = {}): CompileInput => ({
  nodes: NODES,
  services: [web()],
  endpointSlices: [slice()],
  configuration: { clusterCIDR: '10.244.0.0/16' },
  ...fields,
})

const ask = (fields: Partial<PacketQuestion>): PacketQuestion => ({
  input: clusterOf(),
  from: 'pod',
  to: '10.96.20.5:80',
  ...fields,
  options: { mode: 'iptables', ...fields.options },
})

describe('an address of a Service in ipvs mode that is an address of a node', () => {
  const ofOther = clusterOf({ services: [web({ type: 'NodePort', externalIPs: ['192.0.2.12'] })] })
  const ofThis = clusterOf({
    services: [
      web({ type: 'LoadBalancer' }, { loadBalancer: { ingress: [{ ip: '192.0.2.11' }] } }),
      {
        metadata: { namespace: 'default', name: 'kubernetes' },
        spec: { clusterIP: '10.96.0.1', ports: [{ name: 'https', port: 443 }] },
      },
    ],
    endpointSlices: [
      slice(),
      {
        metadata: { namespace: 'default', name: 'kubernetes', labels: { 'kubernetes.io/service-name': 'kubernetes' } },
        addressType: 'IPv4',
        ports: [{ name: 'https', port: 6443 }],
        endpoints: [{ addresses: ['192.0.2.11'] }],
      },
    ],
  })
  const ipvs = (kubernetesVersion: string) => ({ mode: 'ipvs', kubernetesVersion }) as const

  it('keeps packets of this node from reaching the other Node', () => {
    const { code, summary, cause, steps, rule } = diagnoseOnly(
      ask({ input: ofOther, options: ipvs('1.21'), from: 'node', to: '192.0.2.12:10250' }),
    )
    expect(code).toBe('claimedNodeAddress')
    expect(summary).toBe(
      'On node node-1, packets from the node itself to 192.0.2.12:10250/TCP do not reach Node node-2: its address 192.0.2.12 is also the external IP of Service shop/web, so they stay on this node',
    )
    expect(cause).toMatch(
      /^kube-proxy in ipvs mode binds 192\.0\.2\.12 to kube-ipvs0 on every node because of Service shop\/web/,
    )
    expect(steps[0]?.text).toBe('Remove 192.0.2.12 from externalIPs of Service shop/web with kubectl')
    expect(rule).toBe('address add 192.0.2.12/32 dev kube-ipvs0')
  })

  it.each(['1.26', '1.35'])('rejects packets to the other Node in version %s', (version) => {
    const { summary } = diagnoseOnly(
      ask({ input: ofOther, options: ipvs(version), from: 'outside', to: '192.0.2.12:22' }),
    )
    expect(summary).toBe(
      'On node node-1, packets from external clients to 192.0.2.12:22/TCP are rejected: 192.0.2.12, an address of Node node-2, is also the external IP of Service shop/web',
    )
  })

  it('rejects packets to other ports of this node', () => {
    const { summary, cause } = diagnoseOnly(
      ask({ input: ofThis, options: ipvs('1.26'), from: 'outside', to: '192.0.2.11:22' }),
    )
    expect(summary).toBe(
      'On node node-1, packets from external clients to 192.0.2.11:22/TCP are rejected: 192.0.2.11, an address of this node, is also the load-balancer IP of Service shop/web',
    )
    expect(cause).toContain('Service shop/web has 192.0.2.11, so it cuts off every other port there, such as ssh')
  })

  it('rejects packets to a Service with an endpoint at this address', () => {
    const { summary } = diagnoseOnly(ask({ input: ofThis, options: ipvs('1.26'), from: 'node', to: '10.96.0.1:443' }))
    expect(summary).toBe(
      'On node node-1, packets from the node itself to 10.96.0.1:443/TCP are rejected: the endpoint 192.0.2.11 of Service default/kubernetes, an address of this node, is also the load-balancer IP of Service shop/web',
    )
  })

  it('rejects packets to the node port at this address', () => {
    const { summary } = diagnoseOnly(
      ask({ input: ofThis, options: ipvs('1.26'), from: 'outside', to: '192.0.2.11:30080' }),
    )
    expect(summary).toBe(
      'On node node-1, packets from external clients to 192.0.2.11:30080/TCP are rejected: 192.0.2.11, an address of this node, is also the load-balancer IP of Service shop/web',
    )
  })

  it.each(['1.25', '1.30'])(
    'cuts off the other nodes if version %s does not reject packets to this node',
    (version) => {
      const { code, summary, cause, steps, rule } = diagnoseOnly(
        ask({ input: ofThis, options: ipvs(version), from: 'outside', to: '192.0.2.11:22' }),
      )
      expect(code).toBe('claimedNodeAddress')
      expect(summary).toBe(
        'On node node-1, packets from external clients to 192.0.2.11:22/TCP reach the node, but not from other nodes: 192.0.2.11 is also the load-balancer IP of Service shop/web',
      )
      expect(cause).toContain('; the other nodes cannot reach Node node-1 at 192.0.2.11 on any port')
      expect(steps[0]?.text).toMatch(/^Give Service shop\/web a load-balancer IP that no node has/)
      expect(rule).toBe('address add 192.0.2.11/32 dev kube-ipvs0')
    },
  )

  it('is not diagnosed for external packets to the only Node, or in iptables mode', () => {
    const alone = { ...ofThis, nodes: NODES.slice(0, 1) }
    const questions = [
      ask({ input: alone, options: ipvs('1.25'), from: 'outside', to: '192.0.2.11:22' }),
      ask({ input: alone, options: ipvs('1.30'), from: 'outside', to: '192.0.2.11:22' }),
      ask({ input: ofThis, options: ipvs('1.30'), from: 'node', to: '192.0.2.11:22' }),
      ask({ input: ofOther, options: { mode: 'nftables' }, from: 'node', to: '192.0.2.12:10250' }),
      ask({ input: clusterOf(), options: ipvs('1.26'), from: 'node', to: '192.0.2.12:10250' }),
    ]
    for (const question of questions) expect(diagnoseQuestion(question)).toEqual([])
  })
})

describe('source ranges', () => {
  const input = clusterOf({
    services: [
      web(
        { type: 'LoadBalancer', loadBalancerSourceRanges: ['198.51.100.0/24'] },
        { loadBalancer: { ingress: [{ ip: '203.0.113.9' }] } },
      ),
    ],
  })

  it('also exclude the node', () => {
    const { code, summary, cause, steps } = diagnoseOnly(ask({ input, from: 'node', to: '203.0.113.9:80' }))
    expect(code).toBe('excludedSource')
    expect(summary).toBe(
      'On node node-1, packets from the node itself to 203.0.113.9:80/TCP are dropped: no source range of shop/web:http contains 192.0.2.11, the address of the node',
    )
    expect(cause).toBe(
      'loadBalancerSourceRanges of Service shop/web are 198.51.100.0/24, and they also apply to clients inside the cluster',
    )
    expect(steps.map(({ text, command }) => command ?? text)).toEqual([
      'Use the cluster IP 10.96.20.5:80 from nodes and pods instead; no change to the cluster is needed',
      `kubectl -n shop patch svc web -p '{"spec":{"loadBalancerSourceRanges":["198.51.100.0/24","192.0.2.11/32"]}}'`,
    ])
  })

  it('exclude external clients on purpose, and one step allows one more', () => {
    const service = web(
      { type: 'LoadBalancer', loadBalancerSourceRanges: ['192.0.2.0/24'] },
      { loadBalancer: { ingress: [{ ip: '203.0.113.9' }] } },
    )
    const { summary, cause, steps } = diagnoseOnly(
      ask({ input: { ...input, services: [service] }, from: 'outside', to: '203.0.113.9:80' }),
    )
    expect(summary).toBe(
      'On node node-1, packets from external clients to 203.0.113.9:80/TCP are dropped: no source range of shop/web:http contains 198.51.100.1',
    )
    expect(cause).toBe(
      'loadBalancerSourceRanges of Service shop/web are 192.0.2.0/24; for clients that they exclude, this is normal',
    )
    expect(steps.map(({ text, outcome }) => [text, outcome])).toEqual([
      [
        'If 198.51.100.1 should have access, add 198.51.100.1/32, or the network of all such clients, to loadBalancerSourceRanges of Service shop/web with kubectl',
        'the packets reach 10.244.2.7:8080',
      ],
    ])
  })
})

describe('a limitation of the mode', () => {
  it('is named by its own reason instead of the reason of the plan', () => {
    const services = [
      web(
        { type: 'LoadBalancer', loadBalancerSourceRanges: ['198.51.100.0/24'] },
        { loadBalancer: { ingress: [{ ip: '203.0.113.9' }] } },
      ),
    ]
    const { code, cause } = diagnoseOnly(
      ask({
        input: clusterOf({ services }),
        options: { mode: 'ipvs', kubernetesVersion: '1.35' },
        from: 'node',
        to: '203.0.113.9:80',
      }),
    )
    expect(code).toBe('limitedByMode')
    expect(cause).toBe(
      'kube-proxy 1.35 in ipvs mode does not implement this for Service shop/web (limitation ownPacketsNotLimited): locally generated packets are checked against source ranges only if their source is the load-balancer IP',
    )
  })
})

describe('a Service without endpoints', () => {
  const gapOf = (service: Service, ...endpointSlices: readonly EndpointSlice[]) => {
    const { summary, cause, steps } = diagnoseOnly(ask({ input: clusterOf({ services: [service], endpointSlices }) }))
    expect(summary).toBe(
      'On node node-1, packets from a pod to 10.96.20.5:80/TCP are rejected: shop/web:http has no endpoints',
    )
    const claim =
      'cluster IP 10.96.20.5 belongs to Service shop/web, and kube-proxy rejects packets without a usable endpoint; '
    expect(cause.startsWith(claim)).toBe(true)
    return [cause.slice(claim.length), steps[0]?.text]
  }
  const selecting = web({ selector: { app: 'web', tier: 'front' } } as never)

  it('has no pod that matches the selector', () => {
    expect(gapOf(selecting, slice({ endpoints: [], ports: [] }))).toEqual([
      'no pod that matches its selector app=web,tier=front is listed in an EndpointSlice',
      'Start a pod that has the labels app=web,tier=front, and wait until it is ready; kubectl shows the selector',
    ])
  })

  it('has pods without a port of this name', () => {
    expect(gapOf(selecting, slice({ ports: [{ name: 'metrics', port: 9090 }] }))).toEqual([
      'its selector matches pods, but EndpointSlice web-1 has no port named http (it has metrics 9090/TCP)',
      'Set targetPort of Service shop/web to the number, or to the name of a container port of its pods; kubectl shows targetPort',
    ])
  })

  it('has no selector and no EndpointSlice', () => {
    expect(gapOf(web())).toEqual([
      'it has no selector, and no EndpointSlice lists endpoints for it',
      'Create an EndpointSlice with the label kubernetes.io/service-name: web in namespace shop, with the addresses that Service shop/web sends packets to',
    ])
  })

  it('has no selector, and an EndpointSlice of host names', () => {
    const endpoints = [{ addresses: ['db.example.com'] }]
    expect(gapOf(web(), slice({ addressType: 'FQDN', endpoints }))).toEqual([
      'it has no selector, and its EndpointSlice web-1 lists host names (db.example.com, addressType FQDN), which kube-proxy does not use',
      'List IP addresses in the EndpointSlice of Service shop/web instead, with addressType IPv4 or IPv6; kubectl shows it',
    ])
  })

  it('has no selector, and an EndpointSlice with a different port name', () => {
    expect(gapOf(web(), slice({ ports: [{ name: 'sql', port: 5432 }] }))).toEqual([
      'it has no selector, and its EndpointSlice web-1 has no port named http (it has sql 5432/TCP)',
      'Give the port in EndpointSlice web-1 and the port of Service shop/web the same name; kubectl shows it',
    ])
  })

  it('is described in one line for hostile names', () => {
    const endpoints = [{ addresses: ['a\n=> 10.0.0.1:80'] }]
    expect(gapOf(web(), slice({ addressType: 'FQDN', endpoints }))[0]).toBe(
      'it has no selector, and its EndpointSlice web-1 lists host names (?, addressType FQDN), which kube-proxy does not use',
    )
  })
})

describe('a rule of another program', () => {
  it('is avoided with a rule for the endpoint if the dump has no nat table', () => {
    const dump = () =>
      '$ iptables -S FORWARD\n-P FORWARD ACCEPT\n-A FORWARD -j KUBE-FORWARD\n-A FORWARD -j REJECT\n$ iptables -S KUBE-FORWARD\n-N KUBE-FORWARD\n'
    const { summary, cause, steps } = diagnoseOnly(ask({ dump }))
    expect(summary).toBe(
      'On node node-1, packets from a pod to 10.96.20.5:80/TCP may be rejected by a rule of another program, such as a firewall',
    )
    expect(cause).toBe(
      "according to the objects, kube-proxy sends them to 10.244.2.7:8080, an endpoint of Service shop/web; then rule 2 of FORWARD, which is not kube-proxy's, rejects them",
    )
    expect(steps[0]?.command).toBe(
      'iptables -t filter -I FORWARD 2 -s 10.244.0.0/16 -d 10.244.2.7 -p tcp --dport 8080 -j ACCEPT',
    )
  })

  it.each([
    ['-A PREROUTING -p tcp -m set --match-set KNOWN src -j DNAT --to-destination 10.244.9.9:443', 'translatedFirst'],
    [
      '-A PREROUTING -p tcp -m statistic --mode random --probability 0.5 -j DNAT --to-destination 10.244.9.9:443',
      'translatedFirst',
    ],
  ])('is not accused as a fact if it may not match: %s', (rule, code) => {
    const dump = (rules: string) => rules.replace('-A PREROUTING ', `${rule}\n-A PREROUTING `)
    const { code: found, summary } = diagnoseOnly(ask({ dump }))
    expect(found).toBe(code)
    expect(summary).toBe(
      'On node node-1, packets from a pod to 10.96.20.5:80/TCP may go to 10.244.9.9:443 instead of an endpoint: another program changes their destination',
    )
  })

  it.each([
    ['dnat ip to 10.96.20.5:80', '10.96.20.5:80, the cluster IP'],
    ['redirect to :30080', '192.0.2.11:30080, the node port'],
  ])('does not reach a pod through a Service: %s', (statement, place) => {
    const table = `table inet vpn {\n\tchain pre {\n\t\ttype nat hook prerouting priority -101; policy accept;\n\t\tip daddr 192.0.2.11 tcp dport 443 ${statement}\n\t}\n}\n`
    const { code, summary, cause, steps } = diagnoseOnly(
      ask({ dump: (rules) => `${rules}${table}`, from: 'outside', to: '192.0.2.11:443' }),
    )
    expect(code).toBe('translatedToService')
    expect(summary).toBe(
      `On node node-1, packets from external clients to 192.0.2.11:443/TCP do not reach a pod: another program sends them to ${place} of Service shop/web`,
    )
    expect(cause).toContain('and only the first change of a destination counts')
    expect(steps[0]?.text).toContain('an endpoint (10.244.2.7:8080)')
  })
})

describe('a packet that another program sends to a cluster IP in nftables mode', () => {
  it('is rejected there, because of the other program', () => {
    const table = `table ip vpn {\n\tchain pre {\n\t\ttype nat hook prerouting priority -150; policy accept;\n\t\tip daddr 100.64.0.5 tcp dport 443 dnat to 10.96.20.5:80\n\t}\n}\n`
    const { code, summary, cause, rule } = diagnoseOnly(
      ask({
        dump: (rules) => `${rules}${table}`,
        from: 'outside',
        to: '100.64.0.5:443',
        options: { mode: 'nftables', kubernetesVersion: '1.33' },
      }),
    )
    expect(code).toBe('translatedToService')
    expect(summary).toBe(
      'On node node-1, packets from external clients to 100.64.0.5:443/TCP do not reach a pod: another program sends them to 10.96.20.5:80, the cluster IP of Service shop/web',
    )
    expect(cause).toContain('and only the first change of a destination counts')
    expect(rule).toBe('ip daddr 100.64.0.5 tcp dport 443 dnat to 10.96.20.5:80')
  })
})

describe('a packet that another program sends to a cluster IP in ipvs mode', () => {
  const rule = '-A PREROUTING -d 100.64.0.5/32 -p tcp -m tcp --dport 443 -j DNAT --to-destination 10.96.20.5:80'
  const from = (origin: Packet['origin'], endpoints = slice().endpoints) =>
    diagnoseQuestion(
      ask({
        input: clusterOf({ endpointSlices: [slice({ endpoints })] }),
        dump: (rules) => rules.replace('-A PREROUTING ', `${rule}\n-A PREROUTING `),
        from: origin,
        to: '100.64.0.5:443',
        options: { mode: 'ipvs' },
      }),
    )

  it('reaches an endpoint on another node, which replies to an external client directly', () => {
    expect(from('outside')).toMatchObject([
      {
        code: 'translatedToService',
        summary:
          'On node node-1, packets from external clients to 100.64.0.5:443/TCP reach 10.244.2.7:8080, but their replies may be lost: another program sends them to 10.96.20.5:80, the cluster IP of Service shop/web, without masquerading',
        cause:
          "rule 1 of PREROUTING, which is not kube-proxy's, applies before the rules of Service shop/web, which masquerade such packets; an endpoint on another node then replies to the client directly",
        steps: [
          { text: 'Configure that program to masquerade these packets too' },
          {
            text: 'Or, if clients can use another address, publish Service shop/web with a node port or an external IP, without that rule',
          },
        ],
        rule,
      },
    ])
  })

  it('is no problem for an endpoint on this node, or for a pod of this node', () => {
    expect(from('outside', [{ addresses: ['10.244.1.7'], nodeName: 'node-1' }])).toEqual([])
    expect(from('pod')).toEqual([])
  })
})

describe('a node port at an address of the node that nodePortAddresses exclude', () => {
  const input = clusterOf({
    services: [web({ type: 'NodePort' })],
    nodes: [
      {
        metadata: { name: 'node-1' },
        status: {
          addresses: [
            { type: 'InternalIP', address: '192.0.2.11' },
            { type: 'ExternalIP', address: '203.0.113.11' },
          ],
        },
      },
    ],
    configuration: { clusterCIDR: '10.244.0.0/16', nodePortAddresses: ['203.0.113.0/24'] },
  })

  it('is served at the other address, which was tried', () => {
    const { code, summary, object, steps } = diagnoseOnly(ask({ input, to: '192.0.2.11:30080', from: 'outside' }))
    expect(code).toBe('unservedNodePort')
    expect(summary).toBe(
      'On node node-1, packets from external clients to 192.0.2.11:30080/TCP are not handled by kube-proxy: it serves node port 30080/TCP of Service shop/web at 203.0.113.11, not at 192.0.2.11',
    )
    expect(object).toBe('Service shop/web')
    expect(steps.map(({ text, outcome }) => ({ text, outcome }))).toEqual([
      {
        text: 'Send the packets to 203.0.113.11:30080 instead',
        outcome: 'packets to 203.0.113.11:30080 reach 10.244.2.7:8080',
      },
      { text: expect.stringContaining('add a network with it to nodePortAddresses'), outcome: undefined },
    ])
  })

  it('is not diagnosed for a different port or address', () => {
    for (const to of ['192.0.2.11:30081', '192.0.2.99:30080', '203.0.113.11:30080'])
      expect(diagnoseQuestion(ask({ input, to, from: 'outside' }))).toEqual([])
  })
})

it('names a real server that ipvs routes packets to, although the objects define it', () => {
  const routed = (rules: string) => rules.replace('-r 10.244.2.7:8080 -m', '-r 10.244.2.7:8080 -g')
  const { code, summary, object, steps } = diagnoseOnly(ask({ options: { mode: 'ipvs' }, dump: routed }))
  expect({ code, object }).toEqual({ code: 'outdatedRule', object: 'Service shop/web' })
  expect(summary).toContain('lost at 10.244.2.7:8080: ipvs routes them')
  // The step has no outcome, because a trace does not show that the pod discards the packets.
  expect(steps).toEqual([{ text: expect.stringContaining('run kube-rules verify with the same objects') }])
  const result = compile(clusterOf(), { mode: 'ipvs', nodeName: 'node-1', families: ['IPv4'] })
  const dump = parseDump(result.families.map(({ state }) => routed(print(state, { format: 'save' }))))
  const [family] = dump.ok ? verify(result, dump.value).families : []
  // The kernel stores a routed real server with the port of its virtual server.
  expect(family?.repair.map(({ input }) => input)).toEqual([
    '-a -t 10.96.20.5:80 -r 10.244.2.7:8080 -m -w 1\n-d -t 10.96.20.5:80 -r 10.244.2.7:80\n',
  ])
})
