import { describe, expect, it } from 'vitest'
import { featuresOf } from '../../../../compiler/src/model/configuration/features.js'
import type { ServicePort } from '../../../../compiler/src/model/services/service-port.js'
import { type Configuration, cidr, packet, planOf } from '../../../../compiler/test/support/decisions.js'
import { endpoint, servicePort } from '../../../../compiler/test/support/model-builder.js'
import { explained, tracedPacket } from '../../../../compiler/test/support/traced.js'
import { LIMITATION_PREDICATES } from '../../../src/targets/iptables/limitation-predicates.js'

// The node has 192.168.0.2 and 192.168.1.2.

const REMOTE = endpoint({ ip: '10.180.0.2' })
const EXTERNAL = '198.51.100.9'

const empty = (fields: Parameters<typeof servicePort>[0] = {}) => servicePort(fields)
const served = (fields: Parameters<typeof servicePort>[0] = {}) => servicePort({ endpoints: [REMOTE], ...fields })

type End = Parameters<typeof tracedPacket>[2][number]

type Row = [
  what: string,
  services: ServicePort | readonly ServicePort[],
  sent: ReturnType<typeof packet>,
  ends: End | readonly End[],
  isExplained: boolean,
  configuration?: Configuration,
]

const fromNode = { origin: 'node' } as const
const toExternal = packet('192.168.0.2', `${EXTERNAL}:80`, fromNode)
const LIMITED = { loadBalancerIPs: [EXTERNAL], sourceRanges: [cidr('10.9.0.0/16')] }
const notOnLoopback: Configuration = { settings: { localhostNodePorts: false } }
const onOneAddress: Configuration = {
  node: { nodePorts: { all: false, addresses: ['192.168.1.2'], containsLoopback: false } },
}

/** The settings of a version. */
const of = (version: string): Configuration => ({
  settings: { features: featuresOf('iptables', version, new Map()) },
})

const LOCAL_ELSEWHERE = { externalPolicyLocal: true, loadBalancerIPs: [EXTERNAL] }
/** A Service with the endpoint of `tracedPacket`. */
const near = (fields: Parameters<typeof servicePort>[0] = {}) =>
  servicePort({ endpoints: [endpoint({ ip: '10.180.0.1' })], ...fields })
const toClusterIP = packet('203.0.113.2', '172.30.0.41:80')
const fromOutside = packet('203.0.113.2', `${EXTERNAL}:80`)

const ROWS: Readonly<Record<string, readonly Row[]>> = {
  markedToDrop: [
    [
      'explains a packet without a local endpoint until 1.24',
      served(LOCAL_ELSEWHERE),
      fromOutside,
      'unmatched',
      true,
      of('1.24'),
    ],
    [
      'explains a masqueraded packet outside the source ranges in 1.23',
      served(LIMITED),
      fromOutside,
      'unmatched*',
      true,
      of('1.23'),
    ],
    [
      'ignores a packet outside the source ranges that is not masqueraded in 1.23',
      served(LIMITED),
      fromOutside,
      'unmatched',
      false,
      of('1.23'),
    ],
    [
      'explains a packet outside the source ranges with policy Local in 1.23',
      served({ ...LIMITED, externalPolicyLocal: true }),
      fromOutside,
      'unmatched',
      true,
      of('1.23'),
    ],
    [
      'ignores a masqueraded packet outside the source ranges in 1.24',
      served(LIMITED),
      fromOutside,
      'unmatched*',
      false,
      of('1.24'),
    ],
    [
      'explains a masqueraded packet to a cluster IP without a local endpoint in 1.24',
      served({ internalPolicyLocal: true }),
      toClusterIP,
      'unmatched*',
      true,
      of('1.24'),
    ],
    ['ignores a packet that is dropped immediately', served(LIMITED), fromOutside, 'dropped', false, of('1.23')],
    [
      'ignores a packet that the filter table drops',
      served(LOCAL_ELSEWHERE),
      fromOutside,
      'unmatched',
      false,
      of('1.25'),
    ],
    [
      'ignores a packet that is rejected',
      empty({ nodePort: 3001 }),
      packet('203.0.113.2', '192.168.0.2:3001'),
      'unmatched',
      false,
      of('1.24'),
    ],
  ],
  firstLoadBalancerIP: [],
  externalIPsIgnorePolicy: [],
  ownPacketsKeptLocal: [],
  bridgedExternalIPs: [
    [
      'explains a masqueraded packet from the node until 1.20',
      served({ externalIPs: [EXTERNAL] }),
      toExternal,
      'unmatched*',
      true,
      of('1.20'),
    ],
    [
      'ignores a packet from the node that is not masqueraded',
      served({ externalIPs: [EXTERNAL] }),
      toExternal,
      'unmatched',
      false,
      of('1.20'),
    ],
    [
      'ignores a masqueraded packet with policy Local',
      served({ externalIPs: [EXTERNAL], externalPolicyLocal: true }),
      toExternal,
      'unmatched*',
      false,
      of('1.19'),
    ],
    [
      'explains a packet with policy Local that is not masqueraded',
      served({ externalIPs: [EXTERNAL], externalPolicyLocal: true }),
      toExternal,
      'unmatched',
      true,
      of('1.19'),
    ],
    [
      'ignores a dropped packet from the node',
      served({ externalIPs: [EXTERNAL] }),
      toExternal,
      'dropped',
      false,
      of('1.20'),
    ],
    [
      'explains a packet from a pod that may come through a bridge',
      served({ endpoints: [endpoint({ ip: '10.180.0.1' })], externalIPs: [EXTERNAL], externalPolicyLocal: true }),
      packet('10.180.0.9', `${EXTERNAL}:80`, { origin: 'pod' }),
      ['delivered', 'unmatched'],
      true,
      of('1.19'),
    ],
    [
      'ignores a packet from a pod that the rules never match',
      served({ externalIPs: [EXTERNAL] }),
      packet('10.180.0.9', `${EXTERNAL}:80`, { origin: 'pod' }),
      'unmatched*',
      false,
      of('1.14'),
    ],
    [
      'ignores a packet from an external client',
      served({ externalIPs: [EXTERNAL] }),
      fromOutside,
      'unmatched',
      false,
      of('1.20'),
    ],
    [
      'ignores a packet to a node address',
      served({ externalIPs: ['192.168.1.2'] }),
      packet('192.168.0.2', '192.168.1.2:80', fromNode),
      'unmatched',
      false,
      of('1.20'),
    ],
    [
      'ignores a packet to a load-balancer IP',
      served({ loadBalancerIPs: [EXTERNAL] }),
      toExternal,
      'unmatched',
      false,
      of('1.20'),
    ],
    [
      'ignores a packet in a later version',
      served({ externalIPs: [EXTERNAL] }),
      toExternal,
      'unmatched',
      false,
      of('1.21'),
    ],
  ],
  forwardedPacketsNotRejected: [
    [
      'explains a packet to an external IP until 1.18',
      empty({ externalIPs: [EXTERNAL] }),
      fromOutside,
      'unmatched',
      true,
      of('1.18'),
    ],
    [
      'ignores a packet to a load-balancer IP',
      empty({ loadBalancerIPs: [EXTERNAL] }),
      fromOutside,
      'unmatched',
      false,
      of('1.18'),
    ],
    [
      'ignores a packet to an external IP with endpoints',
      served({ externalIPs: [EXTERNAL] }),
      fromOutside,
      'unmatched',
      false,
      of('1.18'),
    ],
    [
      'ignores a packet to an external IP that is a node address',
      empty({ externalIPs: ['192.168.1.2'] }),
      packet('203.0.113.2', '192.168.1.2:80'),
      'unmatched',
      false,
      of('1.18'),
    ],
    [
      'ignores a packet to an external IP in a later version',
      empty({ externalIPs: [EXTERNAL] }),
      fromOutside,
      'unmatched',
      false,
      of('1.19'),
    ],
  ],
  ownPacketsNotRejected: [
    [
      'explains an unmatched packet to an external IP',
      empty({ externalIPs: [EXTERNAL] }),
      toExternal,
      'unmatched',
      true,
    ],
    ['ignores a rejected packet to an external IP', empty({ externalIPs: [EXTERNAL] }), toExternal, 'rejected', false],
    ['explains a packet to a load-balancer IP', empty({ loadBalancerIPs: [EXTERNAL] }), toExternal, 'unmatched', true],
    [
      'explains a packet to a load-balancer IP with source ranges but without endpoints',
      empty(LIMITED),
      toExternal,
      'unmatched',
      true,
    ],
    ['ignores a packet to a load-balancer IP with source ranges', served(LIMITED), toExternal, 'unmatched', false],
    [
      'ignores a packet to an external IP with endpoints',
      served({ externalIPs: [EXTERNAL] }),
      toExternal,
      'unmatched',
      false,
    ],
    [
      'ignores a packet to a cluster IP',
      empty(),
      packet('192.168.0.2', '172.30.0.41:80', fromNode),
      'unmatched',
      false,
    ],
    [
      'ignores a packet to an external IP that is a node address',
      empty({ externalIPs: ['192.168.1.2'] }),
      packet('192.168.0.2', '192.168.1.2:80', fromNode),
      'unmatched',
      false,
    ],
    [
      'ignores a packet from another client',
      empty({ externalIPs: [EXTERNAL] }),
      packet('203.0.113.2', `${EXTERNAL}:80`),
      'unmatched',
      false,
    ],
    ['ignores a packet to no Service', empty(), toExternal, 'unmatched', false],
  ],
  nodePortsRejectedEverywhere: [
    [
      'explains a packet to a loopback address',
      empty({ nodePort: 3001 }),
      packet('127.0.0.1', '127.0.0.1:3001', fromNode),
      'rejected',
      true,
      notOnLoopback,
    ],
    [
      'explains a packet to an address without node ports',
      empty({ nodePort: 3001 }),
      packet('203.0.113.2', '192.168.0.2:3001'),
      'rejected',
      true,
      onOneAddress,
    ],
    [
      'explains a dropped packet if no endpoint is on the node',
      served({ nodePort: 3001, externalPolicyLocal: true }),
      packet('203.0.113.2', '192.168.0.2:3001'),
      'dropped',
      true,
      onOneAddress,
    ],
    [
      'explains a packet if another Service rejects the same node port',
      [served({ nodePort: 3001 }), empty({ name: 'svc2', nodePort: 3001 })],
      packet('203.0.113.2', '192.168.0.2:3001'),
      'rejected',
      true,
      onOneAddress,
    ],
    [
      'ignores a packet with another outcome',
      empty({ nodePort: 3001 }),
      packet('203.0.113.2', '192.168.0.2:3001'),
      'dropped',
      false,
      onOneAddress,
    ],
    [
      'ignores a packet to a node port with endpoints',
      served({ nodePort: 3001 }),
      packet('203.0.113.2', '192.168.0.2:3001'),
      'rejected',
      false,
      onOneAddress,
    ],
    [
      'ignores a packet to another port',
      empty({ nodePort: 3001 }),
      packet('203.0.113.2', '192.168.0.2:3002'),
      'rejected',
      false,
      onOneAddress,
    ],
    [
      'ignores a packet to the port of an external IP',
      empty({ externalIPs: [EXTERNAL] }),
      packet('203.0.113.2', '192.168.0.2:80'),
      'rejected',
      false,
    ],
    [
      'ignores a packet of another protocol',
      empty({ nodePort: 3001 }),
      packet('203.0.113.2', '192.168.0.2:3001', { protocol: 'UDP' }),
      'rejected',
      false,
      onOneAddress,
    ],
    [
      'ignores a packet to a remote address',
      empty({ nodePort: 3001 }),
      packet('203.0.113.2', '203.0.113.9:3001'),
      'rejected',
      false,
      onOneAddress,
    ],
    [
      'ignores a packet to an address with node ports',
      empty({ nodePort: 3001 }),
      packet('203.0.113.2', '192.168.1.2:3001'),
      'rejected',
      false,
      onOneAddress,
    ],
  ],
  endpointRejected: [
    [
      'explains a packet to an endpoint that is an external IP of another Service',
      [served(), empty({ name: 'svc2', clusterIP: '172.30.0.42', externalIPs: [REMOTE.ip] })],
      packet('10.0.0.9', '172.30.0.41:80', { origin: 'pod' }),
      'rejected',
      true,
    ],
    [
      'ignores a packet to an endpoint with an unused address',
      served(),
      packet('10.0.0.9', '172.30.0.41:80', { origin: 'pod' }),
      'rejected',
      false,
    ],
  ],
  externalClusterIP: [
    [
      'explains a masqueraded packet to a cluster IP that is also an external IP in 1.22',
      near({ externalIPs: ['172.30.0.41'] }),
      toClusterIP,
      'delivered*',
      true,
      of('1.22'),
    ],
    [
      'explains a masqueraded packet to the port of the node port in 1.23',
      near({ port: 3001, nodePort: 3001 }),
      packet('10.0.0.9', '172.30.0.41:3001', { origin: 'pod' }),
      'delivered*',
      true,
      of('1.23'),
    ],
    [
      'ignores a packet that is not masqueraded',
      near({ externalIPs: ['172.30.0.41'] }),
      toClusterIP,
      'delivered',
      false,
      of('1.22'),
    ],
    [
      'ignores a masqueraded packet in other versions',
      near({ externalIPs: ['172.30.0.41'] }),
      toClusterIP,
      'delivered*',
      false,
      of('1.24'),
    ],
    [
      'ignores a masqueraded packet if the external IP belongs to another Service',
      [near(), served({ name: 'svc2', clusterIP: '172.30.0.42', externalIPs: ['172.30.0.41'] })],
      toClusterIP,
      'delivered*',
      false,
      of('1.22'),
    ],
    [
      'ignores a masqueraded packet if the external IP has policy Local',
      near({ externalIPs: ['172.30.0.41'], externalPolicyLocal: true }),
      toClusterIP,
      'delivered*',
      false,
      of('1.22'),
    ],
    [
      'ignores a masqueraded packet if the address is also a load-balancer IP',
      near({ loadBalancerIPs: ['172.30.0.41'] }),
      toClusterIP,
      'delivered*',
      false,
      of('1.22'),
    ],
    ['ignores a packet to no Service', near(), packet('10.0.0.9', '172.30.0.41:81'), 'unmatched*', false, of('1.22')],
  ],
  loopbackGuarded: [
    [
      'explains a dropped packet from another address to a loopback address',
      empty(),
      packet('192.168.0.2', '127.0.0.1:80', fromNode),
      'dropped',
      true,
    ],
    [
      'explains a dropped packet that should be rejected',
      empty({ nodePort: 3001 }),
      packet('192.168.0.2', '127.0.0.1:3001', fromNode),
      'dropped',
      true,
    ],
    ['ignores an unmatched packet', empty(), packet('192.168.0.2', '127.0.0.1:80', fromNode), 'unmatched', false],
    [
      'ignores a packet from a loopback address',
      empty(),
      packet('127.0.0.9', '127.0.0.1:80', fromNode),
      'dropped',
      false,
    ],
    [
      'ignores a packet to another address',
      empty(),
      packet('192.168.0.2', '192.168.1.2:80', fromNode),
      'dropped',
      false,
    ],
    [
      'ignores an IPv6 packet',
      empty(),
      { ...packet('fd00::2', ':80', fromNode), destination: '::1' },
      'dropped',
      false,
    ],
    [
      'ignores a packet to a node port',
      served({ nodePort: 3001 }),
      packet('192.168.0.2', '127.0.0.1:3001', fromNode),
      'dropped',
      false,
    ],
  ],
}

it('every limitation of iptables mode has test rows', () => {
  expect(Object.keys(ROWS)).toEqual(
    Object.keys(LIMITATION_PREDICATES).filter((code) => code !== 'endsAtUnservedNodePort'),
  )
})

describe('the limitation endsAtUnservedNodePort', () => {
  const unserved = { nodePorts: { all: false, addresses: [], containsLoopback: false } }
  const ended = (fields: Parameters<typeof servicePort>[0]) => served({ nodePort: 3001, ...fields })
  const aspectsOf = (version: string, services: readonly ServicePort[], end: End = 'unmatched*') => {
    const plan = planOf(services, { node: unserved, ...of(version) })
    return explained(LIMITATION_PREDICATES.endsAtUnservedNodePort, tracedPacket(plan, fromOutside, [end]))
  }

  it('explains masquerading in versions 1.19 to 1.22', () => {
    const found = ['1.18', '1.19', '1.22', '1.23'].map((version) =>
      aspectsOf(version, [ended({ externalIPs: [EXTERNAL] })]),
    )
    expect(found).toEqual([[], ['masquerade'], ['masquerade'], []])
  })

  it('explains masquerading at a load-balancer IP only with policy Cluster', () => {
    const found = [false, true].map((externalPolicyLocal) =>
      aspectsOf('1.22', [ended({ loadBalancerIPs: [EXTERNAL], externalPolicyLocal })]),
    )
    expect(found).toEqual([['masquerade'], []])
  })

  it('ignores a packet to no Service and a packet that is not masqueraded', () => {
    expect(aspectsOf('1.22', [ended({})])).toEqual([])
    expect(aspectsOf('1.22', [ended({ externalIPs: [EXTERNAL] })], 'unmatched')).toEqual([])
  })
})

describe.each(Object.entries(ROWS).filter(([, rows]) => rows.length > 0))('the limitation %s', (code, rows) => {
  it.each(rows)('%s', (_, services, sent, ends, isExplained, configuration) => {
    const plan = planOf([services].flat(), configuration)
    const aspects = explained(LIMITATION_PREDICATES[code], tracedPacket(plan, sent, [ends].flat()))
    expect(aspects).toEqual(isExplained ? ['where', 'masquerade'] : [])
  })
})
