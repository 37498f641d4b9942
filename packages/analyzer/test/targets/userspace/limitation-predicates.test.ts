import { describe, expect, it } from 'vitest'
import type { ServicePort } from '../../../../compiler/src/model/services/service-port.js'
import { decide } from '../../../../compiler/src/plan/decide.js'
import { cidr, packet, planOf } from '../../../../compiler/test/support/decisions.js'
import { endpoint, servicePort } from '../../../../compiler/test/support/model-builder.js'
import { proxiedPlan } from '../../../../compiler/test/support/proxied-plan.js'
import { explained, tracedPacket } from '../../../../compiler/test/support/traced.js'
import { LIMITATION_PREDICATES } from '../../../src/targets/userspace/limitation-predicates.js'

// The node has 192.168.0.2 and 192.168.1.2. The expected outcomes are the outcomes of iptables mode.

type Fields = Parameters<typeof servicePort>[0]
type Row = [
  what: string,
  services: ServicePort | readonly ServicePort[],
  sent: ReturnType<typeof packet>,
  end: Parameters<typeof tracedPacket>[2][number],
  aspects: string,
  isServed?: boolean,
]

const LOCAL = endpoint({ ip: '10.180.0.1', local: true })
const REMOTE = endpoint({ ip: '10.180.0.2' })
const EXTERNAL = '198.51.100.9'
const NODE_PORT = '192.168.0.2:3001'

const web = (fields: Fields = {}) => servicePort({ endpoints: [LOCAL, REMOTE], ...fields })
const cutShort = (stopsEarly: boolean) => ({
  externalIPs: [EXTERNAL],
  proxied: { identity: '', stopsEarly },
})
const client = (to: string, fields: Parameters<typeof packet>[2] = {}) => packet('203.0.113.2', to, fields)
const pod = (to: string) => packet('10.0.0.9', to, { origin: 'pod' })
const WEB = pod('172.30.0.41:80')
const LIMITED = { loadBalancerIPs: [EXTERNAL], sourceRanges: [cidr('10.9.0.0/16')] }
/** An earlier service port with the same node port. */
const FIRST = servicePort({ name: 'svc0', clusterIP: '172.30.0.40', nodePort: 3001, endpoints: [LOCAL] })

const ROWS: Readonly<Record<string, readonly Row[]>> = {
  noSctp: [
    [
      'explains a packet over SCTP',
      web({ protocol: 'SCTP' }),
      { ...WEB, protocol: 'SCTP' },
      'unmatched',
      'where masquerade',
    ],
    ['ignores a packet over TCP', web(), WEB, 'unmatched', ''],
  ],
  policiesIgnored: [
    [
      'explains a packet to a node port with policy Local',
      web({ externalPolicyLocal: true, nodePort: 3001 }),
      client(NODE_PORT),
      'proxy',
      'where',
    ],
    ['explains a packet to a cluster IP with policy Local', web({ internalPolicyLocal: true }), WEB, 'proxy', 'where'],
    ['ignores an unmatched packet with policy Local', web({ internalPolicyLocal: true }), WEB, 'unmatched', ''],
    ['ignores a packet with policy Cluster', web(LIMITED), WEB, 'proxy', ''],
    [
      'ignores a packet if another Service has policy Local',
      [web(), web({ name: 'svc2', clusterIP: '172.30.0.42', internalPolicyLocal: true })],
      WEB,
      'proxy',
      '',
    ],
    [
      'ignores a packet if another protocol has policy Local',
      [web(), web({ protocol: 'UDP', internalPolicyLocal: true })],
      WEB,
      'proxy',
      '',
    ],
    ['ignores a packet to no Service', web({ internalPolicyLocal: true }), pod('172.30.0.41:81'), 'proxy', ''],
  ],
  sourceRangesIgnored: [
    ['explains a packet from a client outside the ranges', web(LIMITED), client(`${EXTERNAL}:80`), 'proxy', 'where'],
    [
      'ignores a dropped packet from a client outside the ranges',
      web(LIMITED),
      client(`${EXTERNAL}:80`),
      'dropped',
      '',
    ],
    ['ignores a packet from an allowed client', web(LIMITED), packet('10.9.0.9', `${EXTERNAL}:80`), 'proxy', ''],
    [
      'ignores a packet that should be dropped for another reason',
      web({ ...LIMITED, internalPolicyLocal: true, endpoints: [REMOTE] }),
      WEB,
      'proxy',
      '',
    ],
  ],
  otherFamilyStops: [
    ['ignores a packet to no Service', web(cutShort(true)), client('198.51.100.8:80'), 'unmatched', ''],
    [
      'ignores a packet to a Service without endpoints',
      web(cutShort(false)),
      client(`${EXTERNAL}:80`),
      'unmatched',
      '',
    ],
    ['ignores a packet that reaches the proxy', web(cutShort(true)), client(`${EXTERNAL}:80`), 'proxy', ''],
  ],
  claimStops: [
    [
      'explains a packet to a node port of a Service with an external IP in conflict',
      [
        FIRST,
        web({ externalIPs: ['192.168.1.2'] }),
        web({ name: 'svc2', externalIPs: ['192.168.1.2'], nodePort: 3002 }),
      ],
      client('192.168.0.2:3002'),
      'unmatched',
      'where',
    ],
    ['ignores a packet to a port without a conflict', [FIRST, web()], client('172.30.0.41:80'), 'unmatched', ''],
    ['ignores a packet to no Service', [FIRST, web({ nodePort: 3001 })], client('192.168.0.2:3009'), 'unmatched', ''],
    [
      'ignores a packet to a port of another protocol',
      [
        servicePort({ name: 'svc0', protocol: 'UDP', clusterIP: '172.30.0.40', nodePort: 3001 }),
        web({ name: 'svc2', protocol: 'TCP', nodePort: 3005 }),
        web({ name: 'svc2', protocol: 'UDP', nodePort: 3001 }),
      ],
      client('192.168.0.2:3005'),
      'unmatched',
      '',
    ],
  ],
  oneFamily: [
    ['explains a packet of the other family', web(), WEB, 'unmatched', 'where', false],
    ['ignores a packet of the family of the node', web(), WEB, 'unmatched', '', true],
    ['ignores a packet to no Service', web(), pod('172.30.0.41:81'), 'unmatched', '', false],
  ],
  topologyIgnored: [
    ['explains a packet to a Service with endpoints', web(), WEB, 'proxy', 'where'],
    ['ignores an unmatched packet to a Service with endpoints', web(), WEB, 'unmatched', ''],
    ['ignores a packet to a Service without endpoints', web({ endpoints: [] }), WEB, 'proxy', ''],
  ],
  externalIPsOfOthers: [
    ['explains a packet from a pod', web({ externalIPs: [EXTERNAL] }), pod(`${EXTERNAL}:80`), 'unmatched', 'where'],
    [
      'explains a packet from the node',
      web({ externalIPs: [EXTERNAL] }),
      packet('192.168.0.2', `${EXTERNAL}:80`, { origin: 'node' }),
      'unmatched',
      'where',
    ],
    [
      'ignores a packet from an external client',
      web({ externalIPs: [EXTERNAL] }),
      client(`${EXTERNAL}:80`),
      'unmatched',
      '',
    ],
    [
      'ignores a packet to a node address',
      web({ externalIPs: ['192.168.1.2'] }),
      pod('192.168.1.2:80'),
      'unmatched',
      '',
    ],
    [
      'ignores a packet to a load-balancer IP',
      web({ loadBalancerIPs: [EXTERNAL] }),
      pod(`${EXTERNAL}:80`),
      'unmatched',
      '',
    ],
    ['ignores a packet to no Service', web({ externalIPs: [EXTERNAL] }), pod(`${EXTERNAL}:81`), 'unmatched', ''],
  ],
  ipModeIgnored: [
    [
      'ignores a packet to a load-balancer IP that is not redirected',
      web({ loadBalancerIPs: [EXTERNAL] }),
      client(`${EXTERNAL}:80`),
      'proxy',
      '',
    ],
  ],
  connectionsTaken: [
    ['explains a packet to a Service without endpoints', web({ endpoints: [] }), WEB, 'proxy', 'where masquerade'],
    ['explains a packet to a Service with endpoints', web(), WEB, 'proxy', 'masquerade'],
    ['ignores an unmatched packet to a Service without endpoints', web({ endpoints: [] }), WEB, 'unmatched', ''],
    ['explains a packet to no Service', web(), pod('172.30.0.41:81'), 'proxy', 'masquerade'],
  ],
}

it('every limitation of userspace mode that affects packets has test rows', () => {
  expect(Object.keys(ROWS)).toEqual(Object.keys(LIMITATION_PREDICATES))
})

describe.each(Object.entries(ROWS))('the limitation %s', (code, rows) => {
  it.each(rows)('%s', (_, services, sent, end, aspects, isServed = true) => {
    const ports = [services].flat()
    const plan = proxiedPlan(ports, {}, { isServed })
    const traced = tracedPacket(plan, sent, [end], decide(planOf(ports), sent))
    expect(explained(LIMITATION_PREDICATES[code], traced).join(' ')).toBe(aspects)
  })
})

describe('limitations of userspace mode relative to the plan', () => {
  const plan = proxiedPlan([web({ loadBalancerIPs: [EXTERNAL] })])

  it('include a load-balancer IP that rules redirect to the process', () => {
    const codes = (to: string) =>
      explained(LIMITATION_PREDICATES.ipModeIgnored, tracedPacket(plan, client(to), ['proxy'], { kind: 'unmatched' }))
    expect(codes(`${EXTERNAL}:80`)).toEqual(['where'])
    expect(codes('172.30.0.41:80')).toEqual([])
    expect(codes('172.30.0.41:81')).toEqual([])
  })

  it('include frontends that follow a load-balancer IP of the other family in the list', () => {
    const ports = [web(cutShort(true))]
    const expected = decide(planOf([web({ ...cutShort(true), nodePort: 3001 })]), client(NODE_PORT))
    const stopped = tracedPacket(proxiedPlan(ports), client(NODE_PORT), ['unmatched'], expected)
    expect(explained(LIMITATION_PREDICATES.otherFamilyStops, stopped)).toEqual(['where'])
    const whole = tracedPacket(proxiedPlan([web(cutShort(false))]), client(NODE_PORT), ['unmatched'], expected)
    expect(explained(LIMITATION_PREDICATES.otherFamilyStops, whole)).toEqual([])
  })

  it('include a node port on a loopback address if the plan rejects packets to that address', () => {
    const rejected = planOf([web({ nodePort: 3001 })], {
      settings: { rejectedLocalhostNodePorts: ['TCP'], localhostNodePorts: false },
    })
    const toLoopback = packet('127.0.0.1', '127.0.0.1:3001', { origin: 'node' })
    const traced = tracedPacket(
      proxiedPlan([web({ nodePort: 3001 })]),
      toLoopback,
      ['proxy'],
      decide(rejected, toLoopback),
    )
    expect(explained(LIMITATION_PREDICATES.connectionsTaken, traced)).toEqual(['where', 'masquerade'])
  })
})
