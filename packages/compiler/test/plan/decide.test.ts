import type { Packet } from '@kube-rules/types'
import { describe, expect, it } from 'vitest'
import { featuresOf } from '../../src/model/configuration/features.js'
import type { ProxyMode } from '../../src/model/configuration/versions.js'
import type { NodeFacts } from '../../src/model/node/node-facts.js'
import { decide, findClaimants } from '../../src/plan/decide.js'
import type { FrontendKind } from '../../src/plan/plan.js'
import { buildPlan } from '../support/build-plan.js'
import { cidr, packet, planOf, summary } from '../support/decisions.js'
import { endpoint, model, nodeFacts, servicePort } from '../support/model-builder.js'

const REMOTE = endpoint({ ip: '10.180.1.1' })

const POD = '10.0.0.2'
const NODE = '192.168.0.2'
const CLIENT = '203.0.113.2'

describe('decide for a Service without usable endpoints', () => {
  const fields = {
    nodePort: 3001,
    externalIPs: ['192.168.99.41'],
    loadBalancerIPs: ['1.2.3.4'],
    sourceRanges: [cidr('203.0.113.0/25')],
  }
  const EXTERNAL = ['192.168.99.41:80', '1.2.3.4:80', '192.168.0.2:3001']

  it('rejects every packet if there are no endpoints, even before it checks source ranges', () => {
    const plan = planOf([servicePort({ ...fields, externalPolicyLocal: true })])
    for (const source of [POD, NODE, CLIENT, '203.0.113.130']) {
      for (const to of ['172.30.0.41:80', ...EXTERNAL]) {
        expect(summary(decide(plan, packet(source, to)))).toBe('reject noEndpoints')
      }
    }
  })

  it('drops external packets if the external policy is Local and the node has no endpoint', () => {
    const plan = planOf([servicePort({ ...fields, sourceRanges: [], externalPolicyLocal: true, endpoints: [REMOTE] })])
    for (const to of EXTERNAL) {
      expect(summary(decide(plan, packet(CLIENT, to)))).toBe('drop noLocalEndpoints')
      expect(summary(decide(plan, packet(POD, to)))).toBe('10.180.1.1 podShortCircuit')
      expect(summary(decide(plan, packet(NODE, to)))).toBe('10.180.1.1* nodeShortCircuit')
    }
    expect(summary(decide(plan, packet(CLIENT, '172.30.0.41:80')))).toBe('10.180.1.1* offCluster')
  })

  it('drops packets to the cluster IP if the internal policy is Local and the node has no endpoint', () => {
    const plan = planOf([servicePort({ ...fields, sourceRanges: [], internalPolicyLocal: true, endpoints: [REMOTE] })])
    for (const source of [POD, NODE, CLIENT]) {
      expect(summary(decide(plan, packet(source, '172.30.0.41:80')))).toBe('drop noLocalEndpoints')
      for (const to of EXTERNAL) expect(summary(decide(plan, packet(source, to)))).toBe('10.180.1.1* policy')
    }
  })
})

describe('decide', () => {
  const service = servicePort({
    nodePort: 3001,
    externalIPs: ['192.168.99.41'],
    loadBalancerIPs: ['1.2.3.4', '5.6.7.8'],
    sourceRanges: [cidr('192.168.0.0/24'), cidr('203.0.113.0/25')],
    endpoints: [REMOTE],
  })
  const plan = planOf([service])

  it.each([
    ['203.0.113.2', '10.180.1.1* policy'],
    ['203.0.113.130', 'drop sourceRange'],
    [POD, 'drop sourceRange'],
    [NODE, '10.180.1.1* policy'],
    ['192.168.1.2', 'drop sourceRange'],
    ['1.2.3.4', '10.180.1.1* policy'],
    ['5.6.7.8', '10.180.1.1* policy'],
    ['192.168.99.41', 'drop sourceRange'],
  ])('applies source ranges to a packet from %s to a load-balancer IP: %s', (source, expected) => {
    for (const to of ['1.2.3.4:80', '5.6.7.8:80']) expect(summary(decide(plan, packet(source, to)))).toBe(expected)
  })

  it('drops packets from a load-balancer IP to the same IP if no source range contains the node', () => {
    const elsewhere = planOf([service], { node: { ip: '192.168.1.2' } })
    expect(summary(decide(elsewhere, packet('1.2.3.4', '1.2.3.4:80')))).toBe('drop sourceRange')
  })

  it.each(['192.168.99.41:80', '192.168.0.2:3001', '172.30.0.41:80'])(
    'does not apply source ranges to packets to %s',
    (to) => {
      expect(decide(plan, packet('203.0.113.130', to)).kind).toBe('endpoints')
    },
  )

  it('returns the source range as the reason even if the traffic policy would also drop the packet', () => {
    const local = planOf([{ ...service, externalPolicyLocal: true }])
    expect(summary(decide(local, packet('203.0.113.130', '1.2.3.4:80')))).toBe('drop sourceRange')
    expect(summary(decide(local, packet('203.0.113.2', '1.2.3.4:80')))).toBe('drop noLocalEndpoints')
  })
})

describe('decide for node ports', () => {
  const service = servicePort({ nodePort: 3001, endpoints: [REMOTE] })
  const selected = (...addresses: readonly string[]) => ({ all: false, addresses, containsLoopback: false })
  const reached = '10.180.1.1* policy'

  it.each([
    ['192.168.0.2', reached],
    ['192.168.1.2', reached],
    ['127.0.0.1', reached],
    ['127.1.2.3', reached],
    ['192.168.0.3', 'unmatched'],
  ])('serves node ports on all IPv4 addresses of the node, including loopback: %s: %s', (address, expected) => {
    expect(summary(decide(planOf([service]), packet(CLIENT, `${address}:3001`)))).toBe(expected)
  })

  it.each([
    ['192.168.0.2', reached],
    ['127.0.0.1', 'unmatched'],
    ['127.1.2.3', 'unmatched'],
  ])('does not serve node ports on loopback if localhostNodePorts is off: %s: %s', (address, expected) => {
    const plan = planOf([service], { settings: { localhostNodePorts: false } })
    expect(summary(decide(plan, packet(CLIENT, `${address}:3001`)))).toBe(expected)
  })

  it.each([
    [true, '192.168.0.2', reached],
    [true, '192.168.1.2', 'unmatched'],
    [true, '127.0.0.1', reached],
    [true, '127.1.2.3', 'unmatched'],
    [false, '127.0.0.1', 'unmatched'],
  ])(
    'serves node ports only on the selected addresses, with localhostNodePorts %s: %s: %s',
    (localhostNodePorts, address, expected) => {
      const nodePorts = selected('127.0.0.1', '192.168.0.2')
      const plan = planOf([service], { node: { nodePorts }, settings: { localhostNodePorts } })
      expect(summary(decide(plan, packet(CLIENT, `${address}:3001`)))).toBe(expected)
    },
  )

  it('rejects configured protocols on loopback even if a health check has the same port', () => {
    const udp = servicePort({ name: 'udp', protocol: 'UDP', nodePort: 3001, endpoints: [REMOTE] })
    const checked = servicePort({ name: 'checked', externalPolicyLocal: true, healthCheckNodePort: 3001 })
    const plan = planOf([checked, udp, service], {
      settings: { localhostNodePorts: false, rejectedLocalhostNodePorts: ['TCP'] },
    })
    const of = (to: string, protocol: Packet['protocol'] = 'TCP') => decide(plan, packet(NODE, to, { protocol }))
    for (const address of ['127.0.0.1', '127.1.2.3']) {
      expect(of(`${address}:3001`)).toMatchObject({
        ...{ kind: 'reject', reason: 'localhostNodePort', servicePort: service.id },
        frontend: { kind: 'nodePort', port: 3001 },
      })
    }
    expect(summary(of('127.0.0.1:3001', 'UDP'))).toBe('unmatched')
    expect(summary(of('127.0.0.1:80'))).toBe('unmatched')
    expect(summary(of('192.168.0.2:3001'))).toBe(reached)
  })

  it('does not match a packet with another protocol or port', () => {
    const plan = planOf([service])
    expect(summary(decide(plan, packet(CLIENT, '192.168.0.2:3001', { protocol: 'UDP' })))).toBe('unmatched')
    expect(summary(decide(plan, packet(CLIENT, '192.168.0.2:80')))).toBe('unmatched')
  })

  it('never serves node ports on ::1', () => {
    const node = nodeFacts({
      ip: '2001:db8::1',
      addresses: [
        { interface: 'lo', address: '::1' },
        { interface: 'eth0', address: '2001:db8::1' },
      ],
      localTrafficDetection: { kind: 'cidr', cidr: cidr('fd00:10::/64') },
    })
    const service6 = servicePort({
      clusterIP: 'fd00:172:30::41',
      nodePort: 3001,
      endpoints: [endpoint({ ip: 'fd00:10::1' })],
    })
    const plan = buildPlan(model({ family: 'IPv6', node, servicePorts: [service6] }))
    const to = (destination: string, destinationPort: number): Packet => ({
      ...packet('fd00:10::2', ''),
      destination,
      destinationPort,
    })
    expect(summary(decide(plan, to('::1', 3001)))).toBe('unmatched')
    expect(summary(decide(plan, to('2001:db8::1', 3001)))).toBe('fd00:10::1* policy')
    expect(summary(decide(plan, to('fd00:172:30::41', 80)))).toBe('fd00:10::1 policy')
    expect(summary(decide(planOf([service]), to('::1', 3001)))).toBe('unmatched')
  })
})

describe('decide with local traffic detection', () => {
  const service = servicePort({ endpoints: [REMOTE] })
  const arriving = (inInterface: string | undefined, localTrafficDetection: NodeFacts['localTrafficDetection']) =>
    summary(
      decide(planOf([service], { node: { localTrafficDetection } }), packet(CLIENT, '172.30.0.41:80', { inInterface })),
    )

  it.each([
    ['cni0', '10.180.1.1 policy'],
    ['cni01', '10.180.1.1* offCluster'],
    ['eth0', '10.180.1.1* offCluster'],
    [undefined, '10.180.1.1* offCluster'],
  ])('by the interface cni0 recognizes pod packets from interface %s: %s', (inInterface, expected) => {
    expect(arriving(inInterface, { kind: 'interface', interface: 'cni0' })).toBe(expected)
  })

  it.each([
    ['veth', '10.180.1.1 policy'],
    ['veth12ab', '10.180.1.1 policy'],
    ['vet', '10.180.1.1* offCluster'],
    [undefined, '10.180.1.1* offCluster'],
  ])('by the interface prefix veth recognizes pod packets from interface %s: %s', (inInterface, expected) => {
    expect(arriving(inInterface, { kind: 'interfacePrefix', prefix: 'veth' })).toBe(expected)
  })

  it('treats no packet as a pod packet if detection is off', () => {
    const plan = planOf([service])
    const undetected = { ...plan, node: nodeFacts({ localTrafficDetection: undefined }) }
    expect(summary(decide(undetected, packet(POD, '172.30.0.41:80')))).toBe('10.180.1.1* offCluster')
  })

  it('ignores policy Local only for packets of pods and of the node if interfaces identify pods', () => {
    const localTrafficDetection = { kind: 'interface', interface: 'cni0' } as const
    const plan = planOf([{ ...service, externalPolicyLocal: true, nodePort: 3001 }], {
      node: { localTrafficDetection },
    })
    const to = '192.168.0.2:3001'
    expect(summary(decide(plan, packet(CLIENT, to, { inInterface: 'cni0' })))).toBe('10.180.1.1 podShortCircuit')
    expect(summary(decide(plan, packet(CLIENT, to, { inInterface: 'eth0' })))).toBe('drop noLocalEndpoints')
    expect(summary(decide(plan, packet(NODE, to, { origin: 'node' })))).toBe('10.180.1.1* nodeShortCircuit')
  })
})

describe('the frontend of a packet', () => {
  it('is matched by address, port and protocol', () => {
    const plan = planOf([
      servicePort({ portName: 'a', port: 53, endpoints: [endpoint({ ip: '10.180.0.1' })] }),
      servicePort({ portName: 'b', port: 53, protocol: 'UDP', endpoints: [endpoint({ ip: '10.180.0.2' })] }),
      servicePort({ portName: 'c', port: 53, protocol: 'SCTP', endpoints: [endpoint({ ip: '10.180.0.3' })] }),
      servicePort({ portName: 'd', port: 54, endpoints: [endpoint({ ip: '10.180.0.4' })] }),
    ])
    const to = (port: number, protocol: Packet['protocol']) =>
      summary(decide(plan, packet(POD, `172.30.0.41:${port}`, { protocol })))
    expect(to(53, 'TCP')).toBe('10.180.0.1 policy')
    expect(to(53, 'UDP')).toBe('10.180.0.2 policy')
    expect(to(53, 'SCTP')).toBe('10.180.0.3 policy')
    expect(to(54, 'TCP')).toBe('10.180.0.4 policy')
    expect(to(54, 'UDP')).toBe('unmatched')
    expect(to(55, 'TCP')).toBe('unmatched')
    expect(summary(decide(plan, packet(POD, '172.30.0.42:53')))).toBe('unmatched')
  })

  it('is returned with its service port', () => {
    const plan = planOf([servicePort({ nodePort: 3001, externalIPs: ['192.168.99.41'] })])
    const [service] = plan.services
    const kinds = ['172.30.0.41:80', '192.168.99.41:80', '192.168.0.2:3001'].map((to, index) => {
      const decision = decide(plan, packet(CLIENT, to))
      expect(decision).toEqual({
        kind: 'reject',
        servicePort: service?.id,
        frontend: service?.frontends[index],
        reason: 'noEndpoints',
      })
      return service?.frontends[index]?.kind
    })
    expect(kinds).toEqual(['clusterIP', 'externalIP', 'nodePort'])
  })

  const shared = { externalIPs: ['192.168.0.2'], port: 3001 }
  const nodePort = servicePort({ name: 'a', nodePort: 3001, endpoints: [endpoint({ ip: '10.180.0.1' })] })
  const first = servicePort({ name: 'b', ...shared, endpoints: [endpoint({ ip: '10.180.0.2' })] })
  const second = servicePort({ name: 'c', ...shared, endpoints: [endpoint({ ip: '10.180.0.3' })] })

  it('is the frontend with the destination address, rather than a frontend with the node port', () => {
    expect(summary(decide(planOf([nodePort, first]), packet(CLIENT, '192.168.0.2:3001')))).toBe('10.180.0.2* policy')
    expect(summary(decide(planOf([nodePort, first]), packet(CLIENT, '192.168.1.2:3001')))).toBe('10.180.0.1* policy')
  })

  it('belongs to the first matching service port of the plan', () => {
    expect(summary(decide(planOf([first, second]), packet(CLIENT, '192.168.0.2:3001')))).toBe('10.180.0.2* policy')
    const nodePorts = planOf([nodePort, { ...second, nodePort: 3001 }])
    expect(summary(decide(nodePorts, packet(CLIENT, '192.168.1.2:3001')))).toBe('10.180.0.1* policy')
  })

  it.each<[ProxyMode, string, FrontendKind]>([
    ['iptables', '1.22', 'clusterIP'],
    ['iptables', '1.36', 'clusterIP'],
    ['nftables', '1.31', 'clusterIP'],
    ['nftables', '1.32', 'loadBalancer'],
    ['ipvs', '1.22', 'loadBalancer'],
    ['ipvs', '1.36', 'loadBalancer'],
  ])('is, of the frontends of a service port with its address, in %s mode of %s the %s', (mode, version, expected) => {
    const own = { externalIPs: ['172.30.0.41'], loadBalancerIPs: ['172.30.0.41'] }
    const features = featuresOf(mode, version, new Map())
    const plan = planOf([servicePort(own)], { settings: { features } })
    const decision = decide(plan, packet(CLIENT, '172.30.0.41:80'))
    expect('frontend' in decision && decision.frontend.kind).toBe(expected)
    expect(findClaimants(plan, packet(CLIENT, '172.30.0.41:80')).map(({ frontend }) => frontend.kind)[0]).toBe(expected)
  })

  it.each<[ProxyMode, FrontendKind]>([
    ['iptables', 'externalIP'],
    ['nftables', 'externalIP'],
    ['ipvs', 'nodePort'],
  ])(
    'is, at an address of the node with the node port of the same service port, in %s mode the %s',
    (mode, expected) => {
      const own = servicePort({ ...shared, nodePort: 3001 })
      const features = featuresOf(mode, '1.36', new Map())
      const decision = decide(planOf([own], { settings: { features } }), packet(CLIENT, '192.168.0.2:3001'))
      expect('frontend' in decision && decision.frontend.kind).toBe(expected)
    },
  )

  it('belongs to the service port with an address, even if its node port wins over this address', () => {
    const features = featuresOf('ipvs', '1.36', new Map())
    const own = servicePort({ name: 'z', ...shared, nodePort: 3001 })
    const decision = decide(planOf([nodePort, own], { settings: { features } }), packet(CLIENT, '192.168.0.2:3001'))
    expect('frontend' in decision && [decision.servicePort.name, decision.frontend.kind]).toEqual(['z', 'nodePort'])
  })

  it('does not exist if the packet belongs to the other IP family', () => {
    expect(
      summary(decide(planOf([first]), { ...packet(CLIENT, ''), destination: 'fd00::1', destinationPort: 80 })),
    ).toBe('unmatched')
  })
})

describe('decide for the health-check node port', () => {
  const service = servicePort({
    nodePort: 3001,
    loadBalancerIPs: ['5.6.7.8'],
    externalPolicyLocal: true,
    healthCheckNodePort: 3333,
  })
  const plan = planOf([servicePort({ name: 'other', clusterIP: '172.30.0.40' }), service])

  it.each([
    ['192.168.0.2:3333', 'TCP', 'healthCheck ns1/svc1:p80'],
    ['127.0.0.1:3333', 'TCP', 'healthCheck ns1/svc1:p80'],
    ['192.168.0.2:3333', 'UDP', 'unmatched'],
    ['192.168.0.3:3333', 'TCP', 'unmatched'],
    ['5.6.7.8:3333', 'TCP', 'unmatched'],
    ['192.168.0.2:3334', 'TCP', 'unmatched'],
  ] as const)('for a packet to %s over %s returns %s', (to, protocol, expected) => {
    expect(summary(decide(plan, packet(CLIENT, to, { protocol })))).toBe(expected)
  })

  it('prefers a frontend with the same port', () => {
    const taken = planOf([service, servicePort({ name: 'taken', nodePort: 3333, endpoints: [REMOTE] })])
    expect(summary(decide(taken, packet(CLIENT, '192.168.0.2:3333')))).toBe('10.180.1.1* policy')
  })
})

it('decide throws a bug report if the last clause of a frontend does not match every source', () => {
  const plan = planOf([servicePort({ endpoints: [REMOTE] })])
  const services = plan.services.map((service) => ({
    ...service,
    frontends: service.frontends.map((frontend) => ({ ...frontend, clauses: [] })),
  }))
  expect(() => decide({ ...plan, services }, packet(CLIENT, '172.30.0.41:80'))).toThrow(
    'the last clause of a frontend applies to anyone',
  )
})
