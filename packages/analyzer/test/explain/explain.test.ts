import type { EndpointSlice, KubeProxyConfiguration, Packet, Service } from '@kube-rules/types'
import { describe, expect, it } from 'vitest'
import { compile } from '../../../compiler/src/compilation/compile.js'
import type { CompileInput, CompileOptions, FamilyResult } from '../../../compiler/src/compilation/compile-result.js'
import type { NodeState } from '../../../compiler/src/dataplane/node-state.js'
import type { Plan } from '../../../compiler/src/plan/plan.js'
import { readState } from '../../../compiler/test/dataplane/iptables/read-rule.js'
import { explain } from '../../src/explain/explain.js'
import { traceContextFor } from '../../src/trace/trace-context.js'
import { printExplanation } from '../../src/view/print-texts.js'

const web: Service = {
  metadata: { namespace: 'default', name: 'web' },
  spec: {
    type: 'LoadBalancer',
    clusterIP: '10.96.0.1',
    externalTrafficPolicy: 'Local',
    healthCheckNodePort: 32000,
    loadBalancerSourceRanges: ['203.0.113.0/24'],
    ports: [{ name: 'http', port: 80, nodePort: 30080 }],
  },
  status: { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } },
}
const plain: Service = {
  metadata: { namespace: 'default', name: 'plain' },
  spec: { type: 'NodePort', clusterIP: '10.96.0.2', ports: [{ port: 80, nodePort: 30081 }] },
}
const empty: Service = {
  metadata: { namespace: 'default', name: 'empty' },
  spec: { clusterIP: '10.96.0.3', ports: [{ port: 80 }] },
}

function slice(name: string, portName: string, ...endpoints: readonly (readonly [string, string])[]): EndpointSlice {
  return {
    metadata: { namespace: 'default', name: `${name}-1`, labels: { 'kubernetes.io/service-name': name } },
    addressType: 'IPv4',
    ports: [{ name: portName, port: 8080 }],
    endpoints: endpoints.map(([address, nodeName]) => ({ addresses: [address], nodeName })),
  }
}

const input = {
  services: [web, plain, empty],
  endpointSlices: [
    slice('web', 'http', ['10.244.1.1', 'node-1'], ['10.244.2.1', 'node-2']),
    slice('plain', '', ['10.244.1.2', 'node-1'], ['10.244.2.2', 'node-2']),
  ],
  nodes: [{ metadata: { name: 'node-1' }, status: { addresses: [{ type: 'InternalIP', address: '192.168.0.2' }] } }],
  configuration: { clusterCIDR: '10.244.0.0/16' },
}

function compiled(options: CompileOptions = {}, more: Partial<CompileInput> = {}): FamilyResult {
  const [family] = compile({ ...input, ...more }, { mode: 'iptables', families: ['IPv4'], ...options }).families
  if (family === undefined) throw new Error('IPv4 was not compiled')
  return family
}

function configured(configuration: KubeProxyConfiguration): FamilyResult {
  return compiled({}, { configuration: { ...input.configuration, ...configuration } })
}

const POD = { origin: 'pod', source: '10.244.1.9' } as const
const NODE = { origin: 'node', source: '192.168.0.2' } as const
const OUTSIDE = { origin: 'outside', source: '203.0.113.9' } as const

function packet(from: Pick<Packet, 'origin' | 'source'>, to: string): Packet {
  const [destination = '', port] = to.split(':')
  return { ...from, protocol: 'TCP', destination, destinationPort: Number(port), inInterface: 'eth0' }
}

/** Explains a packet through a state, with a plan. */
function explained(state: NodeState, plan: Plan, given: Packet) {
  return explain(state, given, { ...traceContextFor(plan), plan })
}

function whyOf(from: Pick<Packet, 'origin' | 'source'>, to: string, { state, plan } = compiled()) {
  return explained(state, plan, packet(from, to)).reason
}

describe('the reason in an explanation', () => {
  const WEB = 'default/web:http'

  it.each([
    [
      POD,
      '10.96.0.1:80',
      `${WEB}, cluster IP`,
      'the traffic policy is Cluster: all endpoints; it comes from a pod, so the client IP is preserved',
    ],
    [
      NODE,
      '10.96.0.1:80',
      `${WEB}, cluster IP`,
      'the source is not a pod, so the packet is masqueraded to route the reply through this node',
    ],
    [
      OUTSIDE,
      '192.0.2.1:80',
      `${WEB}, load-balancer IP`,
      'the traffic policy is Local: only endpoints on this node; the client IP is preserved',
    ],
    [
      { ...OUTSIDE, source: '198.51.100.1' },
      '192.0.2.1:80',
      `${WEB}, load-balancer IP`,
      'no source range of the Service contains its source',
    ],
    [
      POD,
      '192.168.0.2:30080',
      `${WEB}, node port`,
      'pods reach all endpoints of a Service with policy Local, as through its cluster IP',
    ],
    [
      NODE,
      '192.168.0.2:30080',
      `${WEB}, node port`,
      'the node itself reaches all endpoints of a Service with policy Local',
    ],
    [
      OUTSIDE,
      '192.168.0.2:30081',
      'default/plain, node port',
      'the traffic policy is Cluster: all endpoints, which see the node as the source',
    ],
    [OUTSIDE, '10.96.0.3:80', 'default/empty, cluster IP', 'the Service has no endpoints'],
    [
      OUTSIDE,
      '192.168.0.2:32000',
      `${WEB}, health-check node port`,
      'it is a health check of a Service with policy Local, which the node itself serves',
    ],
    [OUTSIDE, '10.96.0.4:80', '', 'no Service has this address, port and protocol here'],
  ] as const)('states why a packet from %o to %s has its outcome', (from, to, subject, reason) => {
    expect(whyOf(from, to)).toEqual({ subject, reason })
  })

  it('states the setting of the configuration that affects the packet', () => {
    const all = configured({ iptables: { masqueradeAll: true } })
    expect(whyOf(POD, '10.96.0.1:80', all)?.reason).toBe('the configuration masquerades everything sent to cluster IPs')
    const undetected = configured({ clusterCIDR: undefined })
    expect(whyOf(POD, '10.96.0.1:80', undetected)?.reason).toBe(
      'the traffic policy is Cluster: all endpoints; without local traffic detection the client IP is preserved',
    )
  })

  it.each([
    ['1.22', POD, 'the traffic policy is Cluster: all endpoints; it comes from a pod, so the client IP is preserved'],
    ['1.24', POD, 'the traffic policy is Cluster: all endpoints, which see the node as the source'],
  ])('states who sees packets to an external IP in %s', (kubernetesVersion, from, reason) => {
    const services = [{ ...plain, spec: { ...plain.spec, externalIPs: ['192.0.2.7'] } }]
    const given = compiled({ kubernetesVersion }, { services })
    expect(whyOf(from, '192.0.2.7:80', given)?.reason).toBe(reason)
  })

  it.each([
    [OUTSIDE, '; packets to 192.168.0.2:8080 stay on this node and keep their source'],
    [{ ...POD, source: '10.200.0.7' }, '; packets to 192.168.0.2:8080 stay on this node and keep their source'],
    [POD, ''],
    [NODE, ''],
  ])(
    'names endpoints with an address of the node in the reason for %o only if it does not apply to them',
    (from, more) => {
      const onNodes = slice('plain', '', ['192.168.0.2', 'node-1'], ['192.168.0.3', 'node-2'])
      const given = compiled({}, { services: [plain], endpointSlices: [onNodes] })
      const { reason } = whyOf(from, '10.96.0.2:80', given) ?? {}
      const why =
        from === POD
          ? 'the traffic policy is Cluster: all endpoints; it comes from a pod, so the client IP is preserved'
          : 'the source is not a pod, so the packet is masqueraded to route the reply through this node'
      expect(reason).toBe(`${why}${more}`)
    },
  )

  it('states the session affinity of a Service if the packet has several possible endpoints', () => {
    const sticky: Service = { ...plain, spec: { ...plain.spec, sessionAffinity: 'ClientIP' } }
    const services = [sticky, { ...web, spec: { ...web.spec, sessionAffinity: 'ClientIP' } }]
    const given = compiled({}, { services })
    expect(whyOf(POD, '10.96.0.2:80', given)?.reason).toBe(
      'the traffic policy is Cluster: all endpoints; it comes from a pod, so the client IP is preserved; session affinity: a client goes to its previous endpoint again for 10800 s',
    )
    expect(whyOf(OUTSIDE, '192.0.2.1:80', given)?.reason).toBe(
      'the traffic policy is Local: only endpoints on this node; the client IP is preserved',
    )
  })

  it('states the session affinity of the rules without a plan', () => {
    const timeout = { clientIP: { timeoutSeconds: 600 } }
    const sticky: Service = {
      ...plain,
      spec: { ...plain.spec, sessionAffinity: 'ClientIP', sessionAffinityConfig: timeout },
    }
    const services = [sticky, { ...web, spec: { ...web.spec, sessionAffinity: 'ClientIP' } }]
    for (const mode of ['iptables', 'ipvs', 'nftables'] as const) {
      const { state } = compiled({ mode }, { services })
      const traced = explain(state, packet(POD, '10.96.0.2:80'), { addresses: ['192.168.0.2'] })
      expect(traced.affinitySeconds).toBe(600)
      expect(printExplanation(traced)).toContain(
        'session affinity: a client goes to its previous endpoint again for 600 s\n',
      )
      expect(explain(compiled({ mode }).state, packet(POD, '10.96.0.2:80')).affinitySeconds).toBeUndefined()
    }
  })

  it('does not take the clients of a firewall for session affinity', () => {
    const { state } = compiled({}, {})
    const recent = '-A FORWARD -m recent --update --name SSH --seconds 60 -j DROP'
    const jumps = readState(`*filter\n${recent}\nCOMMIT\n`).tables.flatMap((table) => table.jumps)
    const iptables = state.iptables && {
      ...state.iptables,
      tables: state.iptables.tables.map((table) =>
        table.name === 'filter' ? { ...table, jumps: [...jumps, ...table.jumps] } : table,
      ),
    }
    expect(explain({ ...state, iptables }, packet(POD, '10.96.0.2:80'))).not.toHaveProperty('affinitySeconds')
  })

  it('states the decision of the plan if the node has no endpoint', () => {
    const elsewhere = compiled({ nodeName: 'node-3' }, { nodes: [] })
    expect(whyOf(OUTSIDE, '192.0.2.1:80', elsewhere)).toEqual({
      subject: 'default/web:http, load-balancer IP',
      reason:
        'the traffic policy is Local, and no endpoint on this node is usable; nodes with an endpoint: node-1, node-2',
    })
  })

  it('lists unusable endpoints with their nodes, but lists only the nodes of usable endpoints', () => {
    const conditions = (ready: boolean, terminating: boolean) => ({ ready, serving: ready, terminating })
    const held = (name: string, portName: string, nodeName: string | undefined, ...numbers: readonly number[]) => ({
      ...slice(name, portName),
      metadata: { namespace: 'default', name: `${name}-${numbers}`, labels: { 'kubernetes.io/service-name': name } },
      endpoints: numbers.map((number) => ({
        addresses: [`10.244.1.${number}`],
        nodeName,
        conditions: conditions(number > 100, number % 2 === 0),
      })),
    })
    const endpointSlices = [
      held('plain', '', 'node-1', 1, 2),
      held('plain', '', undefined, 3, 5, 7),
      held('web', 'http', 'node-1', 11, 12),
      ...[2, 3, 4, 5].map((node) => held('web', 'http', `node-${node}`, 100 + node)),
      held('web', 'http', undefined, 111),
    ]
    const unready = compiled({ nodeName: 'node-1' }, { endpointSlices })
    expect(whyOf(POD, '10.96.0.2:80', unready)?.reason).toBe(
      'the Service has no usable endpoint; not ready: 10.244.1.1:8080 on node-1, 10.244.1.3:8080, 10.244.1.5:8080 and 1 more; terminating, and not serving: 10.244.1.2:8080 on node-1',
    )
    const undetected = compiled({ nodeName: 'node-1' }, { endpointSlices: [held('web', 'http', undefined, 111)] })
    expect(whyOf(OUTSIDE, '192.0.2.1:80', undetected)?.reason).toBe(
      'the traffic policy is Local, and no endpoint on this node is usable; nodes with an endpoint: that of 10.244.1.111:8080',
    )
    expect(whyOf(OUTSIDE, '192.0.2.1:80', unready)?.reason).toBe(
      'the traffic policy is Local, and no endpoint on this node is usable; not ready: 10.244.1.11:8080; terminating, and not serving: 10.244.1.12:8080; nodes with an endpoint: node-2, node-3, node-4 and 2 more',
    )
  })

  describe('for a destination without a Service', () => {
    const nodes = [
      ...input.nodes,
      { metadata: { name: 'node-2' }, status: { addresses: [{ type: 'InternalIP', address: '192.168.0.3' }] } },
    ]
    const twice: Service = {
      metadata: { namespace: 'default', name: 'twice' },
      spec: {
        clusterIP: '10.96.0.4',
        ports: [
          { name: 'dns', port: 53, protocol: 'UDP' },
          { name: 'dns-tcp', port: 53 },
        ],
      },
    }
    const { state, plan } = compiled(
      { nodeName: 'node-1' },
      {
        nodes,
        services: [web, plain, empty, twice],
        configuration: { ...input.configuration, iptables: { localhostNodePorts: false } },
      },
    )

    it.each([
      ['10.96.0.2:8080', '10.96.0.2 is the cluster IP of default/plain: it has 80/TCP there, not 8080/TCP'],
      ['10.96.0.4:80', '10.96.0.4 is the cluster IP of default/twice: it has 53/UDP, 53/TCP there, not 80/TCP'],
      ['192.0.2.1:443', '192.0.2.1 is the load-balancer IP of default/web: it has 80/TCP there, not 443/TCP'],
      ['192.168.0.2:30099', '192.168.0.2 is an address of this node, and no Service has node port 30099/TCP'],
      [
        '127.0.0.2:30081',
        'node port 30081/TCP of default/plain is served on the addresses of this node other than loopback addresses, not on 127.0.0.2',
      ],
      [
        '192.168.0.3:30081',
        'node port 30081/TCP of default/plain is served there by Node node-2: the rules of this node do not match it',
      ],
      ['192.168.0.3:22', '192.168.0.3 is an address of Node node-2: the rules of this node do not match it'],
      ['10.244.1.2:8080', '10.244.1.2:8080/TCP is an endpoint of default/plain, reached without its Service'],
      ['10.244.1.2:9090', '10.244.1.2 is an endpoint of default/plain, and has no port 9090/TCP there'],
      ['10.96.7.7:80', 'no Service has this address, port and protocol here'],
    ])('describes the destination %s', (to, reason) => {
      const { reason: why } = explain(state, packet(OUTSIDE, to), { ...traceContextFor(plan), plan, nodes })
      expect(why).toEqual({ subject: '', reason })
    })

    it.each([
      [['192.168.0.0/24'], '192.168.0.2 of this node (nodePortAddresses), not on 127.0.0.2'],
      [['10.0.0.0/8'], 'no address of this node, because of nodePortAddresses'],
    ])('names the addresses that serve node ports, with nodePortAddresses %s', (nodePortAddresses, place) => {
      const configuration = { ...input.configuration, nodePortAddresses }
      const { state, plan } = compiled({ nodeName: 'node-1' }, { nodes, services: [plain], configuration })
      const { reason } = explain(state, packet(OUTSIDE, '127.0.0.2:30081'), { ...traceContextFor(plan), plan, nodes })
      expect(reason?.reason).toBe(`node port 30081/TCP of default/plain is served on ${place}`)
    })

    it('names the protocol of the Service if it differs', () => {
      const udp: Packet = { ...packet(OUTSIDE, '192.168.0.2:30081'), protocol: 'UDP' }
      expect(explained(state, plan, udp).reason?.reason).toBe(
        '30081 is a node port of default/plain over TCP, not over UDP',
      )
    })

    it('names the load balancers with a host name, because an unknown address may be theirs', () => {
      const balanced = (name: string, ...ingress: readonly object[]) =>
        ({ ...web, metadata: { namespace: 'shop', name }, status: { loadBalancer: { ingress } } }) as Service
      const reasonFor = (to: string, ...services: readonly Service[]) =>
        explain(state, packet(OUTSIDE, to), { ...traceContextFor(plan), plan, services }).reason?.reason
      const unknown = 'no Service has this address, port and protocol here'
      const ends = 'packets go there, and kube-proxy has no rules for it'
      const host = { hostname: 'lb.example' }
      expect(reasonFor('203.0.113.9:80', balanced('a', host))).toBe(
        `${unknown}; if it is an address of lb.example, the load balancer of shop/a, ${ends}`,
      )
      expect(reasonFor('203.0.113.9:80', balanced('a', host), balanced('b', host))).toBe(
        `${unknown}; if it is an address of a load balancer with a host name only (of shop/a, shop/b), ${ends}`,
      )
      expect(reasonFor('203.0.113.9:81', balanced('a', host))).toBe(unknown)
      expect(reasonFor('203.0.113.9:80', balanced('a', { ...host, ip: '203.0.113.7' }))).toBe(unknown)
    })

    it('names the Service of a load-balancer IP that the load balancer serves itself', () => {
      const ingress = [{ ip: '192.0.2.9', ipMode: 'Proxy' }, { ip: '192.0.2.8' }, { hostname: 'lb.example' }]
      const proxied: Service = { ...web, status: { loadBalancer: { ingress } } }
      const reasonFor = (to: string, services: readonly unknown[]) =>
        explain(state, packet(OUTSIDE, to), { ...traceContextFor(plan), plan, services: services as never }).reason
      expect(reasonFor('192.0.2.9:80', [proxied])).toEqual({
        subject: '',
        reason:
          '192.0.2.9 is the load-balancer IP of default/web with ipMode Proxy: packets go to the load balancer, and kube-proxy has no rules for it',
      })
      const hostile = [
        null,
        7,
        {},
        { status: { loadBalancer: { ingress: 7 } } },
        { ...web, status: { loadBalancer: { ingress: [null] } } },
      ]
      for (const services of [[proxied], hostile]) {
        expect(reasonFor('192.0.2.8:80', services)?.reason).toBe('no Service has this address, port and protocol here')
      }
    })

    it('ignores invalid Nodes', () => {
      const hostile: readonly unknown[] = [
        null,
        7,
        {},
        { metadata: { name: 7 }, status: nodes[1]?.status },
        { status: 7 },
      ]
      const given = packet(OUTSIDE, '192.168.0.3:22')
      const { reason } = explain(state, given, { ...traceContextFor(plan), plan, nodes: hostile as never })
      expect(reason?.reason).toBe('no Service has this address, port and protocol here')
    })
  })

  it('reports that the rules differ from the objects', () => {
    const { plan } = compiled()
    const { state } = compiled({}, { endpointSlices: [] })
    const toWeb = packet(POD, '10.96.0.1:80')
    expect(explained(state, plan, toWeb).reason).toMatchObject({
      expectedOutcome: '10.244.1.1:8080, 10.244.2.1:8080',
      divergence: 'drift',
    })
    expect(whyOf(POD, '10.96.0.1:80')).not.toHaveProperty('expectedOutcome')
  })

  it('reports limitations of the proxy mode', () => {
    const { state, plan } = compiled({ mode: 'ipvs' })
    const local = packet(POD, '192.168.0.2:30080')
    const given = explain(state, local, { ...traceContextFor(plan), plan, compiled: state })
    expect(given.reason).toMatchObject({
      expectedOutcome: '10.244.1.1:8080, 10.244.2.1:8080',
      divergence: 'modeLimitation',
    })
    expect(printExplanation(given)).toContain(
      '\ndiffers from the outcome that the objects define, because of a limitation of this mode: 10.244.1.1:8080, 10.244.2.1:8080 (pods reach all endpoints of a Service with policy Local, as through its cluster IP)\n',
    )
    // If the node behaves neither as the objects nor as the compiled rules require, its rules are not those of
    // kube-proxy.
    const emptied = compiled({ mode: 'ipvs' }, { endpointSlices: [] }).state
    expect(explain(emptied, local, { ...traceContextFor(plan), plan, compiled: state }).reason?.divergence).toBe(
      'drift',
    )
  })

  it.each([
    ['-m set --match-set cali40 src -j DROP', 'undetermined'],
    ['-m set --match-set cali40 src -j REJECT', 'undetermined'],
    ['-j NFQUEUE', 'undetermined'],
    ['-m set --match-set cali40 src -j ACCEPT', undefined],
    ['-m statistic --mode random --probability 0.5 -j DROP', 'drift'],
    ['-j DROP', 'drift'],
  ])('reports no difference if a match is unknown: %s', (rule, difference) => {
    const { state, plan } = compiled()
    const foreign = readState(`*filter\n-A FORWARD ${rule}\nCOMMIT\n`).tables
    const own = state.iptables?.tables ?? []
    const tables = [...own.filter(({ name }) => name !== 'filter'), ...foreign]
    const live: NodeState = { ...state, iptables: { family: 'IPv4', tables } }
    expect(explained(live, plan, packet(POD, '10.96.0.1:80')).reason?.divergence).toBe(difference)
  })

  it('reports a difference that does not depend on unknown matches', () => {
    const { state, plan } = compiled()
    const rules = ['-m set --match-set cali40 src -j DROP', '-d 10.244.1.1/32 -j DROP']
    const foreign = readState(`*filter\n${rules.map((rule) => `-A FORWARD ${rule}\n`).join('')}COMMIT\n`).tables
    const own = state.iptables?.tables ?? []
    const live: NodeState = {
      ...state,
      iptables: { family: 'IPv4', tables: [...own.filter(({ name }) => name !== 'filter'), ...foreign] },
    }
    const { reason } = explained(live, plan, packet(POD, '10.96.0.1:80'))
    expect(reason).toMatchObject({ expectedOutcome: '10.244.1.1:8080, 10.244.2.1:8080', divergence: 'drift' })
  })

  it('is absent if there is no plan', () => {
    expect(explain(compiled().state, packet(POD, '10.96.0.1:80'))).not.toHaveProperty('why')
  })
})

describe('the printed path tree', () => {
  it('contains one line per table for relevant steps, and contains shared steps only once', () => {
    const { state, plan } = compiled()
    const [svc, ext] = ['SVC', 'EXT'].map((kind) => chainOf(state, 'default/plain', kind))
    const seps = sepsOf(state, 'default/plain')
    expect(printExplanation(explained(state, plan, packet(OUTSIDE, '192.168.0.2:30081')))).toBe(
      `203.0.113.9 -> 192.168.0.2:30081/TCP, from outside
default/plain, node port: the traffic policy is Cluster: all endpoints, which see the node as the source
PREROUTING nat: KUBE-SERVICES > KUBE-NODEPORTS > ${ext} > KUBE-MARK-MASQ > MARK --set-xmark 0x4000/0x4000, ${ext} > ${svc}
├─ 1/2 PREROUTING nat: ${svc} > ${seps[0]} > DNAT --to-destination 10.244.1.2:8080
│  => 10.244.1.2:8080, masqueraded
└─ 1/2 PREROUTING nat: ${svc} > ${seps[1]} > DNAT --to-destination 10.244.2.2:8080
   => 10.244.2.2:8080, masqueraded
then FORWARD filter: KUBE-FORWARD > ACCEPT
then POSTROUTING nat: KUBE-POSTROUTING > MARK --set-xmark 0x4000/0x0, KUBE-POSTROUTING > MASQUERADE --random-fully
`,
    )
  })

  it('contains the assumptions of each path', () => {
    const state: NodeState = {
      family: 'IPv4',
      iptables: readState(
        [
          '*nat\n-A PREROUTING -d 10.96.0.1/32 -j DNAT --to-destination 10.244.1.1:8080\nCOMMIT',
          '*filter\n-A FORWARD -m hashlimit --hashlimit-upto 5/sec -j ACCEPT\n-A FORWARD -j DROP\nCOMMIT\n',
        ].join('\n'),
      ),
    }
    expect(printExplanation(explain(state, packet(OUTSIDE, '10.96.0.1:80'), { addresses: ['192.168.0.2'] }))).toBe(
      `203.0.113.9 -> 10.96.0.1:80/TCP, from outside
PREROUTING nat: DNAT --to-destination 10.244.1.1:8080
├─ if iptables filter -A FORWARD -m hashlimit --hashlimit-upto 5/sec -j ACCEPT matches
│  FORWARD filter: ACCEPT
│  => 10.244.1.1:8080
└─ unless iptables filter -A FORWARD -m hashlimit --hashlimit-upto 5/sec -j ACCEPT matches
   FORWARD filter: DROP
   => dropped
`,
    )
  })

  describe('with a rule that cannot be evaluated', () => {
    const endpoints = ['10.244.1.1', '10.244.1.2', '10.244.2.1']
    const shares = ['0.3333333333', '0.5000000000']
    const web = [
      '*nat',
      ...[':KUBE-SERVICES - [0:0]', ':KUBE-SVC-A - [0:0]', '-A PREROUTING -j KUBE-SERVICES'],
      '-A KUBE-SERVICES -d 10.96.0.1/32 -j KUBE-SVC-A',
      ...endpoints.map((address, index) => {
        const chance = shares[index] === undefined ? '' : `-m statistic --mode random --probability ${shares[index]} `
        return `-A KUBE-SVC-A ${chance}-j DNAT --to-destination ${address}:8080`
      }),
      'COMMIT\n',
    ].join('\n')
    const end = (address: string) => `DNAT --to-destination ${address}:8080`
    const drawn = (...rules: readonly string[]) => {
      const state: NodeState = {
        family: 'IPv4',
        iptables: readState([web, '*filter', ...rules, '-A FORWARD -j ACCEPT', 'COMMIT\n'].join('\n')),
      }
      const text = printExplanation(explain(state, packet(OUTSIDE, '10.96.0.1:80'), { addresses: ['192.168.0.2'] }))
      return text.split('\n').slice(1).join('\n')
    }

    it('forks first at a rule for all endpoints', () => {
      const rule = '-A FORWARD -m set --match-set cali40 src -j DROP'
      expect(drawn(rule)).toBe(`PREROUTING nat: KUBE-SERVICES > KUBE-SVC-A
├─ if iptables filter ${rule} matches
│  … FORWARD filter: DROP
│  => dropped
└─ unless iptables filter ${rule} matches
   ├─ 1/3 PREROUTING nat: KUBE-SVC-A > ${end('10.244.1.1')}
   │  => 10.244.1.1:8080
   ├─ 1/3 PREROUTING nat: KUBE-SVC-A > ${end('10.244.1.2')}
   │  => 10.244.1.2:8080
   └─ 1/3 PREROUTING nat: KUBE-SVC-A > ${end('10.244.2.1')}
      => 10.244.2.1:8080
   then FORWARD filter: ACCEPT
`)
    })

    it('forks only the paths to the affected endpoints at a rule for some endpoints', () => {
      const rule = '-A FORWARD -d 10.244.1.0/24 -m set --match-set cali40 src -j DROP'
      expect(drawn(rule)).toBe(`PREROUTING nat: KUBE-SERVICES > KUBE-SVC-A
├─ 2/3
│  ├─ if iptables filter ${rule} matches
│  │  … FORWARD filter: DROP
│  │  => dropped
│  └─ unless iptables filter ${rule} matches
│     ├─ 1/3 PREROUTING nat: KUBE-SVC-A > ${end('10.244.1.1')}
│     │  => 10.244.1.1:8080
│     └─ 1/3 PREROUTING nat: KUBE-SVC-A > ${end('10.244.1.2')}
│        => 10.244.1.2:8080
│     then FORWARD filter: ACCEPT
└─ 1/3 PREROUTING nat: KUBE-SVC-A > ${end('10.244.2.1')}
   FORWARD filter: ACCEPT
   => 10.244.2.1:8080
`)
    })

    it('prints the probability of a random drop only once', () => {
      const rule = '-A FORWARD -m statistic --mode random --probability 0.2500000000 -j DROP'
      const branches = endpoints.map((address) => `1/4 PREROUTING nat: KUBE-SVC-A > ${end(address)}`)
      expect(drawn(rule)).toBe(`PREROUTING nat: KUBE-SERVICES > KUBE-SVC-A
├─ 1/4 … FORWARD filter: DROP
│  => dropped
├─ ${branches[0]}
│  FORWARD filter: ACCEPT
│  => 10.244.1.1:8080
├─ ${branches[1]}
│  FORWARD filter: ACCEPT
│  => 10.244.1.2:8080
└─ ${branches[2]}
   FORWARD filter: ACCEPT
   => 10.244.2.1:8080
`)
    })
  })

  it('shows the virtual servers of ipvs mode', () => {
    const { state, plan } = compiled({ mode: 'ipvs' })
    expect(printExplanation(explained(state, plan, packet(POD, '10.96.0.2:80')))).toBe(
      `10.244.1.9 -> 10.96.0.2:80/TCP, from a pod
default/plain, cluster IP: the traffic policy is Cluster: all endpoints; it comes from a pod, so the client IP is preserved
PREROUTING nat: KUBE-SERVICES > ACCEPT
INPUT ipvs: 10.96.0.2:80/TCP
├─ 1/2 INPUT ipvs: 10.244.1.2:8080
│  => 10.244.1.2:8080
└─ 1/2 INPUT ipvs: 10.244.2.2:8080
   => 10.244.2.2:8080
`,
    )
  })

  it('has one line if no rule matches, and shows the condition of an unknown match', () => {
    const state: NodeState = { family: 'IPv4', iptables: readState('*filter\n-A FORWARD -j NFQUEUE\nCOMMIT\n') }
    const addresses: readonly string[] = []
    expect(printExplanation(explain({ family: 'IPv4' }, packet(OUTSIDE, '10.96.0.1:80'), { addresses }))).toBe(
      '203.0.113.9 -> 10.96.0.1:80/TCP, from outside\n=> not handled by kube-proxy\n',
    )
    expect(printExplanation(explain(state, packet(NODE, '10.96.0.1:80'), { addresses }))).toBe(
      '192.168.0.2 -> 10.96.0.1:80/TCP, locally generated\n=> not handled by kube-proxy\n',
    )
    expect(printExplanation(explain(state, packet(OUTSIDE, '10.96.0.1:80'), { addresses }))).toBe(
      '203.0.113.9 -> 10.96.0.1:80/TCP, from outside\nFORWARD filter: NFQUEUE\n=> cannot be determined: the effect of -j NFQUEUE is unknown\n',
    )
  })
})

function blockOf(state: NodeState, servicePort: string) {
  const nat = state.iptables?.tables.find(({ name }) => name === 'nat')
  return nat?.blocks.find(({ owner }) => owner === `${servicePort}/TCP`)
}

function chainOf(state: NodeState, servicePort: string, kind: string): string {
  return blockOf(state, servicePort)?.chains.find((name) => name.startsWith(`KUBE-${kind}-`)) ?? ''
}

function sepsOf(state: NodeState, servicePort: string): readonly string[] {
  return blockOf(state, servicePort)?.chains.filter((name) => name.startsWith('KUBE-SEP-')) ?? []
}
