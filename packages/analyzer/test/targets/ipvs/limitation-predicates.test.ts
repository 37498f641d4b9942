import { describe, expect, it } from 'vitest'
import { featuresOf } from '../../../../compiler/src/model/configuration/features.js'
import type { ServicePort } from '../../../../compiler/src/model/services/service-port.js'
import { type Configuration, cidr, packet } from '../../../../compiler/test/support/decisions.js'
import { ipvsPlanOf, ipvsSettings } from '../../../../compiler/test/support/ipvs-states.js'
import { endpoint, servicePort } from '../../../../compiler/test/support/model-builder.js'
import { explained, tracedPacket } from '../../../../compiler/test/support/traced.js'
import { LIMITATION_PREDICATES } from '../../../src/targets/ipvs/limitation-predicates.js'

// The node has 192.168.0.2 and 192.168.1.2, and pods have addresses of 10.0.0.0/8.

const LOCAL = endpoint({ ip: '10.180.0.1', local: true })
const REMOTE = endpoint({ ip: '10.180.0.2' })

const web = (fields: Parameters<typeof servicePort>[0] = {}) => servicePort({ endpoints: [LOCAL, REMOTE], ...fields })
const other = (fields: Parameters<typeof servicePort>[0] = {}) =>
  web({ name: 'svc2', clusterIP: '172.30.0.42', ...fields })
const inVersion = (version: string) => ({ settings: { features: featuresOf('ipvs', version, new Map()) } })
const withScheduler = (scheduler: string) => ({ settings: { ipvs: ipvsSettings({ scheduler }) } })

type Row = [
  what: string,
  services: ServicePort | readonly ServicePort[],
  sent: ReturnType<typeof packet>,
  end: Parameters<typeof tracedPacket>[2][number],
  aspects: string,
  configuration?: Configuration,
]

const BOTH = 'where masquerade'
const fromPod = { origin: 'pod' } as const
const fromNode = { origin: 'node' } as const
const udp = { protocol: 'UDP' } as const

const USES_LOCAL_POLICY = { externalIPs: ['198.51.100.9'], externalPolicyLocal: true }
const NODE_PORT = web({ nodePort: 3001 })
const limitedTo = (...ranges: readonly string[]) => ({
  loadBalancerIPs: ['1.2.3.4', '1.2.3.5'],
  sourceRanges: ranges.map(cidr),
})
const HELD = web(limitedTo('10.0.0.0/8'))
const WITH_EXTERNAL = { externalIPs: ['1.2.3.4'], loadBalancerIPs: ['1.2.3.4'] }
const OPEN_TO_POD = packet('10.0.0.9', '1.2.3.4:80', fromPod)
const TO_CLUSTER_IP = packet('10.0.0.9', '172.30.0.41:80', fromPod)
const FROM_OTHER_RANGE = packet('203.0.113.2', '1.2.3.4:80')
const INSIDE = '172.30.0.77'

const ROWS: Readonly<Record<string, readonly Row[]>> = {
  noShortCircuit: [
    ['a pod', web(USES_LOCAL_POLICY), packet('10.0.0.9', '198.51.100.9:80', fromPod), 'delivered', 'where'],
    ['the node', web(USES_LOCAL_POLICY), packet('192.168.0.2', '198.51.100.9:80', fromNode), 'delivered', 'where'],
    ['a pod without an outcome', web(USES_LOCAL_POLICY), packet('10.0.0.9', '198.51.100.9:80', fromPod), 'dropped', ''],
    ['others', web(USES_LOCAL_POLICY), packet('203.0.113.2', '198.51.100.9:80'), 'delivered', ''],
    ['a packet to no Service', web(USES_LOCAL_POLICY), packet('10.0.0.9', '198.51.100.9:81', fromPod), 'delivered', ''],
  ],
  localFallsBack: [
    [
      'a packet that should be dropped',
      web({ ...USES_LOCAL_POLICY, endpoints: [REMOTE] }),
      packet('203.0.113.2', '198.51.100.9:80'),
      'delivered',
      'where',
    ],
    [
      'a packet that is dropped',
      web({ ...USES_LOCAL_POLICY, endpoints: [REMOTE] }),
      packet('203.0.113.2', '198.51.100.9:80'),
      'dropped',
      '',
    ],
    ['a packet to drop for another reason', HELD, packet('203.0.113.2', '1.2.3.4:80'), 'delivered', ''],
    ['a packet to reject', web({ endpoints: [] }), TO_CLUSTER_IP, 'delivered', ''],
    ['a packet to deliver', web(USES_LOCAL_POLICY), packet('203.0.113.2', '198.51.100.9:80'), 'delivered', ''],
  ],
  emptyVirtualServer: [
    ['no endpoints', web({ endpoints: [] }), TO_CLUSTER_IP, 'dropped', 'where'],
    ['no endpoints, not handled', web({ endpoints: [] }), TO_CLUSTER_IP, 'unmatched', 'where'],
    ['no endpoints, but delivered', web({ endpoints: [] }), TO_CLUSTER_IP, 'delivered', ''],
    [
      'no endpoints on the node',
      web({ internalPolicyLocal: true, endpoints: [REMOTE] }),
      TO_CLUSTER_IP,
      'rejected',
      'where',
    ],
    ['endpoints', web(), TO_CLUSTER_IP, 'dropped', ''],
    ['a packet to no Service', web(), packet('10.0.0.9', '172.30.0.41:81', fromPod), 'dropped', ''],
  ],
  nodePortAddresses: [
    ['a loopback address', NODE_PORT, packet('127.0.0.1', '127.0.0.1:3001', fromNode), 'unmatched', BOTH],
    ['an address with a virtual server', NODE_PORT, packet('203.0.113.2', '192.168.1.2:3001'), 'unmatched', ''],
    ['an address of the Service', NODE_PORT, packet('203.0.113.2', '172.30.0.41:3001'), 'rejected', BOTH],
    ['a remote address', NODE_PORT, packet('203.0.113.2', '203.0.113.9:3001'), 'unmatched', ''],
    ['another port', NODE_PORT, packet('203.0.113.2', '192.168.1.2:3002'), 'unmatched', ''],
    ['the port of the cluster IP', NODE_PORT, packet('203.0.113.2', '192.168.1.2:80'), 'unmatched', ''],
    ['another protocol', NODE_PORT, packet('203.0.113.2', '192.168.1.2:3001', udp), 'unmatched', ''],
    [
      'one of several',
      [web(), other({ nodePort: 3001 })],
      packet('127.0.0.1', '127.0.0.1:3001', fromNode),
      'unmatched',
      BOTH,
    ],
  ],
  zeroSourceRange: [
    ['everybody', web(limitedTo('0.0.0.0/0')), OPEN_TO_POD, 'dropped', 'where'],
    ['all clients in addition to a range', web(limitedTo('0.0.0.0/0', '10.0.0.0/8')), OPEN_TO_POD, 'dropped', 'where'],
    ['a client that is delivered', web(limitedTo('0.0.0.0/0')), OPEN_TO_POD, 'delivered', ''],
    ['some', HELD, OPEN_TO_POD, 'dropped', ''],
    ['no ranges', web({ loadBalancerIPs: ['1.2.3.4'] }), OPEN_TO_POD, 'dropped', ''],
    ['a packet to no Service', HELD, packet('10.0.0.9', '1.2.3.4:81', fromPod), 'dropped', ''],
  ],
  otherLoadBalancerIPs: [
    ['from another one', HELD, packet('1.2.3.5', '1.2.3.4:80', fromNode), 'dropped', 'where'],
    ['that is delivered', HELD, packet('1.2.3.5', '1.2.3.4:80', fromNode), 'delivered', ''],
    ['from the same', HELD, packet('1.2.3.4', '1.2.3.4:80', fromNode), 'dropped', ''],
    ['from a remote source', HELD, packet('1.2.3.6', '1.2.3.4:80'), 'dropped', ''],
    [
      'from an external IP',
      web({ ...limitedTo('10.0.0.0/8'), externalIPs: ['1.2.3.6'] }),
      packet('1.2.3.6', '1.2.3.4:80'),
      'dropped',
      '',
    ],
    [
      'from one of another Service',
      [HELD, other({ loadBalancerIPs: ['1.2.3.6'] })],
      packet('1.2.3.6', '1.2.3.4:80'),
      'dropped',
      '',
    ],
    [
      'of a later Service',
      [other(), web({ ...limitedTo('10.0.0.0/8'), name: 'svc3' })],
      packet('1.2.3.5', '1.2.3.4:80'),
      'dropped',
      'where',
    ],
    ['to no Service', HELD, packet('1.2.3.5', '1.2.3.4:81', fromNode), 'dropped', ''],
  ],
  externalIPRejected: [
    [
      'an external IP with policy Local',
      web(USES_LOCAL_POLICY),
      packet('203.0.113.2', '198.51.100.9:80'),
      'rejected',
      'where',
      inVersion('1.29'),
    ],
    ['in newer versions', web(USES_LOCAL_POLICY), packet('203.0.113.2', '198.51.100.9:80'), 'rejected', ''],
    [
      'a delivered packet',
      web(USES_LOCAL_POLICY),
      packet('203.0.113.2', '198.51.100.9:80'),
      'delivered',
      '',
      inVersion('1.29'),
    ],
  ],
  markedToDrop: [
    ['another source', HELD, packet('203.0.113.2', '1.2.3.4:80'), 'delivered', 'where', inVersion('1.24')],
    ['a dropped packet', HELD, packet('203.0.113.2', '1.2.3.4:80'), 'dropped', '', inVersion('1.24')],
    ['in newer versions', HELD, packet('203.0.113.2', '1.2.3.4:80'), 'delivered', '', inVersion('1.25')],
  ],
  sctpMasquerading: [
    [
      'a node port over SCTP',
      web({ nodePort: 3001, protocol: 'SCTP' }),
      packet('203.0.113.2', '192.168.0.2:3001', { protocol: 'SCTP' }),
      'delivered',
      'masquerade',
      inVersion('1.22'),
    ],
    ['a node port over TCP', NODE_PORT, packet('203.0.113.2', '192.168.0.2:3001'), 'delivered', '', inVersion('1.22')],
  ],
  otherPortsRejected: [
    ['another port', web(), packet('10.0.0.9', '172.30.0.41:81', fromPod), 'rejected', 'where'],
    ['another port that continues', web(), packet('10.0.0.9', '172.30.0.41:81', fromPod), 'unmatched', ''],
    [
      'a health check',
      web({ healthCheckNodePort: 30500 }),
      packet('10.0.0.9', '172.30.0.41:30500', fromPod),
      'unmatched',
      'where',
    ],
    [
      'a health check of one of several',
      [web({ healthCheckNodePort: 30500 }), other({ healthCheckNodePort: 30501 })],
      packet('10.0.0.9', '172.30.0.41:30501', fromPod),
      'unmatched',
      'where',
    ],
    [
      'a health check that is dropped',
      web({ healthCheckNodePort: 30500 }),
      packet('10.0.0.9', '172.30.0.41:30500', fromPod),
      'dropped',
      '',
    ],
    ['the port itself', web(), TO_CLUSTER_IP, 'rejected', ''],
    ['an unused address', web(), packet('10.0.0.9', '203.0.113.9:81', fromPod), 'rejected', ''],
    [
      'an address that the node already has',
      web({ externalIPs: ['192.168.0.2'] }),
      packet('10.0.0.9', '192.168.0.2:81', fromPod),
      'rejected',
      '',
    ],
  ],
  otherPortsReachNode: [
    ['another port', web(), packet('10.0.0.9', '172.30.0.41:81', fromPod), 'unmatched', 'where', inVersion('1.25')],
    ['in newer versions', web(), packet('10.0.0.9', '172.30.0.41:81', fromPod), 'unmatched', '', inVersion('1.26')],
  ],
  healthChecksRejected: [
    [
      'a health check at an address of the node',
      web({ ...USES_LOCAL_POLICY, externalIPs: ['192.168.0.2'], healthCheckNodePort: 30000 }),
      packet('203.0.113.2', '192.168.0.2:30000'),
      'rejected',
      'where',
      inVersion('1.27'),
    ],
  ],
  boundEndpoint: [
    [
      'a cluster IP',
      [web({ endpoints: [endpoint({ ip: INSIDE })] }), other({ clusterIP: INSIDE })],
      TO_CLUSTER_IP,
      'rejected',
      BOTH,
    ],
    [
      'one of several endpoints',
      [web({ endpoints: [REMOTE, endpoint({ ip: INSIDE })] }), other({ clusterIP: INSIDE })],
      TO_CLUSTER_IP,
      'rejected',
      BOTH,
    ],
    [
      'an address of the node',
      web({ endpoints: [endpoint({ ip: '192.168.0.2' })], externalIPs: ['192.168.0.2'] }),
      TO_CLUSTER_IP,
      'rejected',
      '',
    ],
    ['an address of no Service', web(), TO_CLUSTER_IP, 'rejected', ''],
    ['nothing', web({ endpoints: [] }), TO_CLUSTER_IP, 'rejected', ''],
  ],
  loopbackNotMasqueraded: [
    ['a loopback address', web(), packet('127.0.0.9', '172.30.0.41:80', fromNode), 'delivered', 'masquerade'],
    ['another address', web(), packet('192.168.0.2', '172.30.0.41:80', fromNode), 'delivered', ''],
  ],
  ownPacketsNotMasqueraded: [
    ['the node', web(USES_LOCAL_POLICY), packet('192.168.0.2', '198.51.100.9:80', fromNode), 'delivered', 'masquerade'],
    ['a pod', web(USES_LOCAL_POLICY), packet('10.0.0.9', '198.51.100.9:80', fromPod), 'delivered', ''],
    ['a packet to no Service', web(), packet('192.168.0.2', '198.51.100.9:80', fromNode), 'unmatched', ''],
  ],
  remoteHairpin: [
    ['a remote endpoint', web(), packet('10.180.0.2', '172.30.0.41:80', fromPod), 'delivered', 'masquerade'],
    ['an endpoint on the node', web(), packet('10.180.0.1', '172.30.0.41:80', fromPod), 'delivered', ''],
    ['no endpoint', web(), TO_CLUSTER_IP, 'delivered', ''],
  ],
  fromClusterIP: [
    [
      'a cluster IP without local traffic detection',
      web(),
      packet('172.30.0.41', '172.30.0.41:80', fromNode),
      'delivered',
      'masquerade',
      { node: { localTrafficDetection: undefined } },
    ],
    [
      'a cluster IP with local traffic detection',
      web(),
      packet('172.30.0.41', '172.30.0.41:80', fromNode),
      'delivered',
      '',
    ],
    [
      'an address of no Service',
      web(),
      packet('192.168.0.2', '172.30.0.41:80', fromNode),
      'delivered',
      '',
      { node: { localTrafficDetection: undefined } },
    ],
  ],
  ownPacketsNotLimited: [
    ['the node', HELD, packet('192.168.0.2', '1.2.3.4:80', fromNode), 'delivered', 'where'],
    ['the node, sent back to it', HELD, packet('192.168.0.2', '1.2.3.4:80', fromNode), 'rejected', 'where'],
    ['the node, dropped', HELD, packet('192.168.0.2', '1.2.3.4:80', fromNode), 'dropped', ''],
    ['others', HELD, packet('203.0.113.2', '1.2.3.4:80'), 'delivered', ''],
    [
      'the node, within ranges',
      web(limitedTo('192.168.0.0/24')),
      packet('192.168.0.2', '1.2.3.4:80', fromNode),
      'delivered',
      '',
    ],
    [
      'the node, without endpoints',
      web({ internalPolicyLocal: true, endpoints: [REMOTE] }),
      packet('192.168.0.2', '172.30.0.41:80', fromNode),
      'delivered',
      '',
    ],
  ],
  guardedAddress: [
    ['of one Service', web({ ...WITH_EXTERNAL, sourceRanges: [cidr('10.9.0.0/16')] }), OPEN_TO_POD, 'dropped', 'where'],
    [
      'of two Services',
      [web({ externalIPs: ['1.2.3.4'] }), other(limitedTo('10.9.0.0/16'))],
      OPEN_TO_POD,
      'dropped',
      'where',
    ],
    ['that is accepted', web({ ...WITH_EXTERNAL, sourceRanges: [cidr('10.9.0.0/16')] }), OPEN_TO_POD, 'delivered', ''],
    ['without ranges', web(WITH_EXTERNAL), OPEN_TO_POD, 'dropped', ''],
    ['that was intended', HELD, OPEN_TO_POD, 'dropped', ''],
    [
      'at another port',
      [web({ externalIPs: ['1.2.3.4'] }), other({ ...limitedTo('10.9.0.0/16'), port: 81 })],
      OPEN_TO_POD,
      'dropped',
      '',
    ],
    [
      'of another protocol',
      [web({ externalIPs: ['1.2.3.4'] }), other({ ...limitedTo('10.9.0.0/16'), protocol: 'UDP' })],
      OPEN_TO_POD,
      'dropped',
      '',
    ],
    [
      'elsewhere',
      [web({ externalIPs: ['1.2.3.6'] }), other(limitedTo('10.9.0.0/16'))],
      packet('10.0.0.9', '1.2.3.6:80', fromPod),
      'dropped',
      '',
    ],
    [
      'without endpoints',
      web({ ...WITH_EXTERNAL, sourceRanges: [cidr('10.9.0.0/16')], endpoints: [] }),
      OPEN_TO_POD,
      'dropped',
      '',
    ],
  ],
  sharedEntries: [
    [
      'with both policies',
      [web({ externalIPs: ['172.30.0.43'] }), other({ externalIPs: ['172.30.0.43'], externalPolicyLocal: true })],
      { ...TO_CLUSTER_IP, destination: '172.30.0.43' },
      'delivered',
      'masquerade',
    ],
    [
      'with one policy',
      [web({ externalIPs: ['172.30.0.43'] }), other({ externalIPs: ['172.30.0.43'] })],
      { ...TO_CLUSTER_IP, destination: '172.30.0.43' },
      'delivered',
      '',
    ],
    [
      'with the ranges of another Service',
      [web(limitedTo('10.0.0.0/8')), other(limitedTo('203.0.113.0/24'))],
      FROM_OTHER_RANGE,
      'delivered',
      'where',
    ],
    [
      'with the ranges of another Service, dropped',
      [web(limitedTo('10.0.0.0/8')), other(limitedTo('203.0.113.0/24'))],
      FROM_OTHER_RANGE,
      'dropped',
      '',
    ],
    [
      'with no range that contains the source',
      [web(limitedTo('10.0.0.0/8')), other(limitedTo('203.0.114.0/24'))],
      FROM_OTHER_RANGE,
      'delivered',
      '',
    ],
    [
      'with the ranges of another Service, to another endpoint',
      [web({ ...limitedTo('10.0.0.0/8'), endpoints: [REMOTE] }), other(limitedTo('203.0.113.0/24'))],
      FROM_OTHER_RANGE,
      'delivered',
      '',
    ],
  ],
  externalClusterIP: [
    [
      'that is an external IP',
      [web(), other({ externalIPs: ['172.30.0.41'] })],
      TO_CLUSTER_IP,
      'delivered',
      'masquerade',
    ],
    [
      'that is a load-balancer IP',
      [web(), other({ loadBalancerIPs: ['172.30.0.41'] })],
      TO_CLUSTER_IP,
      'delivered',
      'masquerade',
    ],
    ['of two Services', [web(), other({ clusterIP: '172.30.0.41' })], TO_CLUSTER_IP, 'delivered', ''],
    ['alone', web(), TO_CLUSTER_IP, 'delivered', ''],
    [
      'that is an external IP with another port',
      [web(), other({ externalIPs: ['172.30.0.41'], port: 81 })],
      TO_CLUSTER_IP,
      'delivered',
      '',
    ],
    [
      'that is an external IP of another protocol',
      [web(), other({ externalIPs: ['172.30.0.41'], protocol: 'UDP' })],
      TO_CLUSTER_IP,
      'delivered',
      '',
    ],
    ['in addition to an external IP', [web(), other({ externalIPs: ['172.30.0.43'] })], TO_CLUSTER_IP, 'delivered', ''],
    ['that was not intended', web({ externalIPs: ['1.2.3.4'] }), OPEN_TO_POD, 'delivered', ''],
    [
      'without endpoints',
      [web({ endpoints: [] }), other({ externalIPs: ['172.30.0.41'], endpoints: [] })],
      TO_CLUSTER_IP,
      'rejected',
      '',
    ],
  ],
  directHairpin: [
    ['from an endpoint of the node to itself', web(), packet('10.180.0.1', '10.180.0.1:80'), 'unmatched', 'masquerade'],
    [
      'from an endpoint of one of several',
      [other({ endpoints: [] }), web({ name: 'svc3' })],
      packet('10.180.0.1', '10.180.0.1:80'),
      'unmatched',
      'masquerade',
    ],
    ['to another port of it', web(), packet('10.180.0.1', '10.180.0.1:81'), 'unmatched', ''],
    ['from it to the same port of another one', web(), packet('10.180.0.1', '10.180.0.9:80'), 'unmatched', ''],
    ['from another address to it', web(), packet('10.180.0.9', '10.180.0.1:80'), 'unmatched', ''],
    ['from a remote endpoint to itself', web(), packet('10.180.0.2', '10.180.0.2:80'), 'unmatched', ''],
    [
      'from an endpoint that is also a Service',
      web({ externalIPs: ['10.180.0.1'] }),
      packet('10.180.0.1', '10.180.0.1:80'),
      'unmatched',
      '',
    ],
  ],
  schedulerChooses: [
    ['sh', web(), TO_CLUSTER_IP, 'delivered', 'where', withScheduler('sh')],
    ['rr', web(), TO_CLUSTER_IP, 'delivered', '', withScheduler('rr')],
    ['without a scheduler', web(), TO_CLUSTER_IP, 'delivered', '', withScheduler('')],
    ['sh without endpoints', web({ endpoints: [] }), TO_CLUSTER_IP, 'rejected', '', withScheduler('sh')],
  ],
  fromLoadBalancerIP: [
    ['to itself', web(limitedTo('1.2.3.0/24')), packet('1.2.3.4', '1.2.3.4:80', fromNode), 'dropped', 'where'],
    [
      'to itself, with the ranges of another Service that do not contain the node',
      [web(limitedTo('192.168.0.0/24')), other(limitedTo('203.0.113.0/24'))],
      packet('1.2.3.4', '1.2.3.4:80', fromNode),
      'dropped',
      'where',
    ],
    ['that is delivered', web(limitedTo('1.2.3.0/24')), packet('1.2.3.4', '1.2.3.4:80', fromNode), 'delivered', ''],
    ['to another', web(limitedTo('1.2.3.0/24')), packet('1.2.3.5', '1.2.3.4:80', fromNode), 'dropped', ''],
    [
      'with ranges that contain the node',
      web(limitedTo('1.2.3.0/24', '192.168.0.0/24')),
      packet('1.2.3.4', '1.2.3.4:80', fromNode),
      'dropped',
      '',
    ],
    ['without ranges', web({ loadBalancerIPs: ['1.2.3.4'] }), packet('1.2.3.4', '1.2.3.4:80', fromNode), 'dropped', ''],
    ['that should be dropped', HELD, packet('1.2.3.4', '1.2.3.4:80', fromNode), 'dropped', ''],
  ],
}

it('every limitation that affects packets has test rows', () => {
  expect(Object.keys(ROWS)).toEqual(Object.keys(LIMITATION_PREDICATES))
})

describe.each(Object.entries(ROWS))('the limitation %s', (code, rows) => {
  it.each(rows)('%s', (_, services, sent, end, aspects, configuration) => {
    const plan = ipvsPlanOf([services].flat(), configuration)
    expect(explained(LIMITATION_PREDICATES[code], tracedPacket(plan, sent, [end])).join(' ')).toBe(aspects)
  })
})

it('a limitation explains a packet if one of several outcomes matches', () => {
  const traced = tracedPacket(ipvsPlanOf([web()]), packet('10.0.0.9', '172.30.0.41:81', fromPod), [
    'unmatched',
    'rejected',
  ])
  expect(explained(LIMITATION_PREDICATES.otherPortsRejected, traced)).toEqual(['where'])
})
