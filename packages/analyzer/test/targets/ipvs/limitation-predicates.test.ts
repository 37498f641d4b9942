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
    [
      'explains a packet from a pod',
      web(USES_LOCAL_POLICY),
      packet('10.0.0.9', '198.51.100.9:80', fromPod),
      'delivered',
      'where',
    ],
    [
      'explains a packet from the node',
      web(USES_LOCAL_POLICY),
      packet('192.168.0.2', '198.51.100.9:80', fromNode),
      'delivered',
      'where',
    ],
    [
      'ignores a dropped packet from a pod',
      web(USES_LOCAL_POLICY),
      packet('10.0.0.9', '198.51.100.9:80', fromPod),
      'dropped',
      '',
    ],
    [
      'ignores a packet from an external client',
      web(USES_LOCAL_POLICY),
      packet('203.0.113.2', '198.51.100.9:80'),
      'delivered',
      '',
    ],
    [
      'ignores a packet to no Service',
      web(USES_LOCAL_POLICY),
      packet('10.0.0.9', '198.51.100.9:81', fromPod),
      'delivered',
      '',
    ],
  ],
  localFallsBack: [
    [
      'explains a packet that should be dropped',
      web({ ...USES_LOCAL_POLICY, endpoints: [REMOTE] }),
      packet('203.0.113.2', '198.51.100.9:80'),
      'delivered',
      'where',
    ],
    [
      'ignores a packet that is dropped',
      web({ ...USES_LOCAL_POLICY, endpoints: [REMOTE] }),
      packet('203.0.113.2', '198.51.100.9:80'),
      'dropped',
      '',
    ],
    [
      'ignores a packet that should be dropped for another reason',
      HELD,
      packet('203.0.113.2', '1.2.3.4:80'),
      'delivered',
      '',
    ],
    ['ignores a packet that should be rejected', web({ endpoints: [] }), TO_CLUSTER_IP, 'delivered', ''],
    [
      'ignores a packet that should be delivered',
      web(USES_LOCAL_POLICY),
      packet('203.0.113.2', '198.51.100.9:80'),
      'delivered',
      '',
    ],
  ],
  emptyVirtualServer: [
    [
      'explains a dropped packet to a Service without endpoints',
      web({ endpoints: [] }),
      TO_CLUSTER_IP,
      'dropped',
      'where',
    ],
    [
      'explains an unmatched packet to a Service without endpoints',
      web({ endpoints: [] }),
      TO_CLUSTER_IP,
      'unmatched',
      'where',
    ],
    [
      'ignores a delivered packet to a Service without endpoints',
      web({ endpoints: [] }),
      TO_CLUSTER_IP,
      'delivered',
      '',
    ],
    [
      'explains a rejected packet to a Service without endpoints on the node',
      web({ internalPolicyLocal: true, endpoints: [REMOTE] }),
      TO_CLUSTER_IP,
      'rejected',
      'where',
    ],
    ['ignores a dropped packet to a Service with endpoints', web(), TO_CLUSTER_IP, 'dropped', ''],
    ['ignores a packet to no Service', web(), packet('10.0.0.9', '172.30.0.41:81', fromPod), 'dropped', ''],
  ],
  nodePortAddresses: [
    [
      'explains a packet to a node port at a loopback address',
      NODE_PORT,
      packet('127.0.0.1', '127.0.0.1:3001', fromNode),
      'unmatched',
      BOTH,
    ],
    [
      'ignores a packet to an address with a virtual server for the node port',
      NODE_PORT,
      packet('203.0.113.2', '192.168.1.2:3001'),
      'unmatched',
      '',
    ],
    [
      'explains a packet to the node port at an address of the Service',
      NODE_PORT,
      packet('203.0.113.2', '172.30.0.41:3001'),
      'rejected',
      BOTH,
    ],
    [
      'ignores a packet to the node port at a remote address',
      NODE_PORT,
      packet('203.0.113.2', '203.0.113.9:3001'),
      'unmatched',
      '',
    ],
    ['ignores a packet to another port', NODE_PORT, packet('203.0.113.2', '192.168.1.2:3002'), 'unmatched', ''],
    [
      'ignores a packet to the port of the cluster IP at a node address',
      NODE_PORT,
      packet('203.0.113.2', '192.168.1.2:80'),
      'unmatched',
      '',
    ],
    [
      'ignores a packet of another protocol',
      NODE_PORT,
      packet('203.0.113.2', '192.168.1.2:3001', udp),
      'unmatched',
      '',
    ],
    [
      'explains a packet to the node port of one of two Services',
      [web(), other({ nodePort: 3001 })],
      packet('127.0.0.1', '127.0.0.1:3001', fromNode),
      'unmatched',
      BOTH,
    ],
  ],
  zeroSourceRange: [
    [
      'explains a dropped packet if a range allows all clients',
      web(limitedTo('0.0.0.0/0')),
      OPEN_TO_POD,
      'dropped',
      'where',
    ],
    [
      'explains a dropped packet if one of two ranges allows all clients',
      web(limitedTo('0.0.0.0/0', '10.0.0.0/8')),
      OPEN_TO_POD,
      'dropped',
      'where',
    ],
    ['ignores a delivered packet', web(limitedTo('0.0.0.0/0')), OPEN_TO_POD, 'delivered', ''],
    ['ignores a dropped packet if the range allows only some clients', HELD, OPEN_TO_POD, 'dropped', ''],
    [
      'ignores a dropped packet if there are no ranges',
      web({ loadBalancerIPs: ['1.2.3.4'] }),
      OPEN_TO_POD,
      'dropped',
      '',
    ],
    ['ignores a packet to no Service', HELD, packet('10.0.0.9', '1.2.3.4:81', fromPod), 'dropped', ''],
  ],
  otherLoadBalancerIPs: [
    [
      'explains a packet from another load-balancer IP of the Service',
      HELD,
      packet('1.2.3.5', '1.2.3.4:80', fromNode),
      'dropped',
      'where',
    ],
    ['ignores a delivered packet', HELD, packet('1.2.3.5', '1.2.3.4:80', fromNode), 'delivered', ''],
    [
      'ignores a packet from the load-balancer IP to itself',
      HELD,
      packet('1.2.3.4', '1.2.3.4:80', fromNode),
      'dropped',
      '',
    ],
    ['ignores a packet from a remote source', HELD, packet('1.2.3.6', '1.2.3.4:80'), 'dropped', ''],
    [
      'ignores a packet from an external IP of the Service',
      web({ ...limitedTo('10.0.0.0/8'), externalIPs: ['1.2.3.6'] }),
      packet('1.2.3.6', '1.2.3.4:80'),
      'dropped',
      '',
    ],
    [
      'ignores a packet from a load-balancer IP of another Service',
      [HELD, other({ loadBalancerIPs: ['1.2.3.6'] })],
      packet('1.2.3.6', '1.2.3.4:80'),
      'dropped',
      '',
    ],
    [
      'explains a packet to the second of two Services',
      [other(), web({ ...limitedTo('10.0.0.0/8'), name: 'svc3' })],
      packet('1.2.3.5', '1.2.3.4:80'),
      'dropped',
      'where',
    ],
    ['ignores a packet to no Service', HELD, packet('1.2.3.5', '1.2.3.4:81', fromNode), 'dropped', ''],
  ],
  externalIPRejected: [
    [
      'explains a rejected packet to an external IP with policy Local in 1.29',
      web(USES_LOCAL_POLICY),
      packet('203.0.113.2', '198.51.100.9:80'),
      'rejected',
      'where',
      inVersion('1.29'),
    ],
    [
      'ignores a rejected packet in newer versions',
      web(USES_LOCAL_POLICY),
      packet('203.0.113.2', '198.51.100.9:80'),
      'rejected',
      '',
    ],
    [
      'ignores a delivered packet',
      web(USES_LOCAL_POLICY),
      packet('203.0.113.2', '198.51.100.9:80'),
      'delivered',
      '',
      inVersion('1.29'),
    ],
  ],
  markedToDrop: [
    [
      'explains a delivered packet from a source outside the ranges in 1.24',
      HELD,
      packet('203.0.113.2', '1.2.3.4:80'),
      'delivered',
      'where',
      inVersion('1.24'),
    ],
    ['ignores a dropped packet', HELD, packet('203.0.113.2', '1.2.3.4:80'), 'dropped', '', inVersion('1.24')],
    [
      'ignores a delivered packet in newer versions',
      HELD,
      packet('203.0.113.2', '1.2.3.4:80'),
      'delivered',
      '',
      inVersion('1.25'),
    ],
  ],
  sctpMasquerading: [
    [
      'explains a packet to a node port over SCTP',
      web({ nodePort: 3001, protocol: 'SCTP' }),
      packet('203.0.113.2', '192.168.0.2:3001', { protocol: 'SCTP' }),
      'delivered',
      'masquerade',
      inVersion('1.22'),
    ],
    [
      'ignores a packet to a node port over TCP',
      NODE_PORT,
      packet('203.0.113.2', '192.168.0.2:3001'),
      'delivered',
      '',
      inVersion('1.22'),
    ],
  ],
  otherPortsRejected: [
    [
      'explains a rejected packet to another port',
      web(),
      packet('10.0.0.9', '172.30.0.41:81', fromPod),
      'rejected',
      'where',
    ],
    [
      'ignores an unmatched packet to another port',
      web(),
      packet('10.0.0.9', '172.30.0.41:81', fromPod),
      'unmatched',
      '',
    ],
    [
      'explains an unmatched health check',
      web({ healthCheckNodePort: 30500 }),
      packet('10.0.0.9', '172.30.0.41:30500', fromPod),
      'unmatched',
      'where',
    ],
    [
      'explains an unmatched health check of one of two Services',
      [web({ healthCheckNodePort: 30500 }), other({ healthCheckNodePort: 30501 })],
      packet('10.0.0.9', '172.30.0.41:30501', fromPod),
      'unmatched',
      'where',
    ],
    [
      'ignores a dropped health check',
      web({ healthCheckNodePort: 30500 }),
      packet('10.0.0.9', '172.30.0.41:30500', fromPod),
      'dropped',
      '',
    ],
    ['ignores a packet to the port of the Service', web(), TO_CLUSTER_IP, 'rejected', ''],
    ['ignores a packet to an unused address', web(), packet('10.0.0.9', '203.0.113.9:81', fromPod), 'rejected', ''],
    [
      'ignores a packet to an external IP that is a node address',
      web({ externalIPs: ['192.168.0.2'] }),
      packet('10.0.0.9', '192.168.0.2:81', fromPod),
      'rejected',
      '',
    ],
  ],
  otherPortsReachNode: [
    [
      'explains an unmatched packet to another port in 1.25',
      web(),
      packet('10.0.0.9', '172.30.0.41:81', fromPod),
      'unmatched',
      'where',
      inVersion('1.25'),
    ],
    [
      'ignores an unmatched packet to another port in newer versions',
      web(),
      packet('10.0.0.9', '172.30.0.41:81', fromPod),
      'unmatched',
      '',
      inVersion('1.26'),
    ],
  ],
  healthChecksRejected: [
    [
      'explains a rejected health check at a node address in 1.27',
      web({ ...USES_LOCAL_POLICY, externalIPs: ['192.168.0.2'], healthCheckNodePort: 30000 }),
      packet('203.0.113.2', '192.168.0.2:30000'),
      'rejected',
      'where',
      inVersion('1.27'),
    ],
  ],
  boundEndpoint: [
    [
      'explains a packet to an endpoint that is a cluster IP',
      [web({ endpoints: [endpoint({ ip: INSIDE })] }), other({ clusterIP: INSIDE })],
      TO_CLUSTER_IP,
      'rejected',
      BOTH,
    ],
    [
      'explains a packet to one of two endpoints that is a cluster IP',
      [web({ endpoints: [REMOTE, endpoint({ ip: INSIDE })] }), other({ clusterIP: INSIDE })],
      TO_CLUSTER_IP,
      'rejected',
      BOTH,
    ],
    [
      'ignores a packet to an endpoint that is a node address',
      web({ endpoints: [endpoint({ ip: '192.168.0.2' })], externalIPs: ['192.168.0.2'] }),
      TO_CLUSTER_IP,
      'rejected',
      '',
    ],
    ['ignores a packet to an endpoint that is no Service address', web(), TO_CLUSTER_IP, 'rejected', ''],
    ['ignores a packet to a Service without endpoints', web({ endpoints: [] }), TO_CLUSTER_IP, 'rejected', ''],
  ],
  loopbackNotMasqueraded: [
    [
      'explains a packet from a loopback address',
      web(),
      packet('127.0.0.9', '172.30.0.41:80', fromNode),
      'delivered',
      'masquerade',
    ],
    [
      'ignores a packet from another address',
      web(),
      packet('192.168.0.2', '172.30.0.41:80', fromNode),
      'delivered',
      '',
    ],
  ],
  ownPacketsNotMasqueraded: [
    [
      'explains a packet from the node',
      web(USES_LOCAL_POLICY),
      packet('192.168.0.2', '198.51.100.9:80', fromNode),
      'delivered',
      'masquerade',
    ],
    [
      'ignores a packet from a pod',
      web(USES_LOCAL_POLICY),
      packet('10.0.0.9', '198.51.100.9:80', fromPod),
      'delivered',
      '',
    ],
    ['ignores a packet to no Service', web(), packet('192.168.0.2', '198.51.100.9:80', fromNode), 'unmatched', ''],
  ],
  remoteHairpin: [
    [
      'explains a packet from a remote endpoint to its own Service',
      web(),
      packet('10.180.0.2', '172.30.0.41:80', fromPod),
      'delivered',
      'masquerade',
    ],
    [
      'ignores a packet from an endpoint on the node to its own Service',
      web(),
      packet('10.180.0.1', '172.30.0.41:80', fromPod),
      'delivered',
      '',
    ],
    ['ignores a packet from an address that is no endpoint', web(), TO_CLUSTER_IP, 'delivered', ''],
  ],
  fromClusterIP: [
    [
      'explains a packet from a cluster IP without local traffic detection',
      web(),
      packet('172.30.0.41', '172.30.0.41:80', fromNode),
      'delivered',
      'masquerade',
      { node: { localTrafficDetection: undefined } },
    ],
    [
      'ignores a packet from a cluster IP with local traffic detection',
      web(),
      packet('172.30.0.41', '172.30.0.41:80', fromNode),
      'delivered',
      '',
    ],
    [
      'ignores a packet from an address of no Service',
      web(),
      packet('192.168.0.2', '172.30.0.41:80', fromNode),
      'delivered',
      '',
      { node: { localTrafficDetection: undefined } },
    ],
  ],
  ownPacketsNotLimited: [
    [
      'explains a delivered packet from the node',
      HELD,
      packet('192.168.0.2', '1.2.3.4:80', fromNode),
      'delivered',
      'where',
    ],
    [
      'explains a rejected packet from the node',
      HELD,
      packet('192.168.0.2', '1.2.3.4:80', fromNode),
      'rejected',
      'where',
    ],
    ['ignores a dropped packet from the node', HELD, packet('192.168.0.2', '1.2.3.4:80', fromNode), 'dropped', ''],
    ['ignores a packet from an external client', HELD, packet('203.0.113.2', '1.2.3.4:80'), 'delivered', ''],
    [
      'ignores a packet from the node if the ranges contain the node',
      web(limitedTo('192.168.0.0/24')),
      packet('192.168.0.2', '1.2.3.4:80', fromNode),
      'delivered',
      '',
    ],
    [
      'ignores a packet from the node to a Service without local endpoints',
      web({ internalPolicyLocal: true, endpoints: [REMOTE] }),
      packet('192.168.0.2', '172.30.0.41:80', fromNode),
      'delivered',
      '',
    ],
  ],
  guardedAddress: [
    [
      'ignores a packet that the load-balancer IP drops, which replaces the equal external IP',
      web({ ...WITH_EXTERNAL, sourceRanges: [cidr('10.9.0.0/16')] }),
      OPEN_TO_POD,
      'dropped',
      '',
    ],
    [
      'explains a dropped packet to an external IP with source ranges of another Service',
      [web({ externalIPs: ['1.2.3.4'] }), other(limitedTo('10.9.0.0/16'))],
      OPEN_TO_POD,
      'dropped',
      'where',
    ],
    [
      'ignores a delivered packet to an address with source ranges',
      web({ ...WITH_EXTERNAL, sourceRanges: [cidr('10.9.0.0/16')] }),
      OPEN_TO_POD,
      'delivered',
      '',
    ],
    ['ignores a dropped packet to an address without source ranges', web(WITH_EXTERNAL), OPEN_TO_POD, 'dropped', ''],
    ['ignores a packet that the source ranges should drop', HELD, OPEN_TO_POD, 'dropped', ''],
    [
      'ignores a packet if the source ranges belong to another port',
      [web({ externalIPs: ['1.2.3.4'] }), other({ ...limitedTo('10.9.0.0/16'), port: 81 })],
      OPEN_TO_POD,
      'dropped',
      '',
    ],
    [
      'ignores a packet if the source ranges belong to another protocol',
      [web({ externalIPs: ['1.2.3.4'] }), other({ ...limitedTo('10.9.0.0/16'), protocol: 'UDP' })],
      OPEN_TO_POD,
      'dropped',
      '',
    ],
    [
      'ignores a packet if the source ranges belong to another address',
      [web({ externalIPs: ['1.2.3.6'] }), other(limitedTo('10.9.0.0/16'))],
      packet('10.0.0.9', '1.2.3.6:80', fromPod),
      'dropped',
      '',
    ],
    [
      'ignores a packet to a Service without endpoints',
      web({ ...WITH_EXTERNAL, sourceRanges: [cidr('10.9.0.0/16')], endpoints: [] }),
      OPEN_TO_POD,
      'dropped',
      '',
    ],
  ],
  sharedEntries: [
    [
      'explains a packet to an external IP of two Services with different policies',
      [web({ externalIPs: ['172.30.0.43'] }), other({ externalIPs: ['172.30.0.43'], externalPolicyLocal: true })],
      { ...TO_CLUSTER_IP, destination: '172.30.0.43' },
      'delivered',
      'masquerade',
    ],
    [
      'ignores a packet to an external IP of two Services with the same policy',
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
      'explains a packet to a cluster IP that is an external IP',
      [web(), other({ externalIPs: ['172.30.0.41'] })],
      TO_CLUSTER_IP,
      'delivered',
      'masquerade',
    ],
    [
      'explains a packet to a cluster IP that is a load-balancer IP',
      [web(), other({ loadBalancerIPs: ['172.30.0.41'] })],
      TO_CLUSTER_IP,
      'delivered',
      'masquerade',
    ],
    [
      'explains a packet to an external IP of a Service that is its own cluster IP',
      web({ externalIPs: ['172.30.0.41'], externalPolicyLocal: true }),
      TO_CLUSTER_IP,
      'delivered',
      'masquerade',
    ],
    [
      'ignores a packet to a cluster IP of two Services',
      [web(), other({ clusterIP: '172.30.0.41' })],
      TO_CLUSTER_IP,
      'delivered',
      '',
    ],
    ['ignores a packet to a cluster IP of one Service', web(), TO_CLUSTER_IP, 'delivered', ''],
    [
      'ignores a packet to a cluster IP that is an external IP with another port',
      [web(), other({ externalIPs: ['172.30.0.41'], port: 81 })],
      TO_CLUSTER_IP,
      'delivered',
      '',
    ],
    [
      'ignores a packet to a cluster IP that is an external IP of another protocol',
      [web(), other({ externalIPs: ['172.30.0.41'], protocol: 'UDP' })],
      TO_CLUSTER_IP,
      'delivered',
      '',
    ],
    [
      'ignores a packet to a cluster IP if another Service has an external IP',
      [web(), other({ externalIPs: ['172.30.0.43'] })],
      TO_CLUSTER_IP,
      'delivered',
      '',
    ],
    ['ignores a packet to an external IP', web({ externalIPs: ['1.2.3.4'] }), OPEN_TO_POD, 'delivered', ''],
    [
      'ignores a packet to a cluster IP without endpoints',
      [web({ endpoints: [] }), other({ externalIPs: ['172.30.0.41'], endpoints: [] })],
      TO_CLUSTER_IP,
      'rejected',
      '',
    ],
  ],
  directHairpin: [
    [
      'explains a packet from an endpoint on the node to itself',
      web(),
      packet('10.180.0.1', '10.180.0.1:80'),
      'unmatched',
      'masquerade',
    ],
    [
      'explains a packet from an endpoint of one of two Services to itself',
      [other({ endpoints: [] }), web({ name: 'svc3' })],
      packet('10.180.0.1', '10.180.0.1:80'),
      'unmatched',
      'masquerade',
    ],
    [
      'ignores a packet from an endpoint to another port of itself',
      web(),
      packet('10.180.0.1', '10.180.0.1:81'),
      'unmatched',
      '',
    ],
    [
      'ignores a packet from an endpoint to the same port of another address',
      web(),
      packet('10.180.0.1', '10.180.0.9:80'),
      'unmatched',
      '',
    ],
    [
      'ignores a packet from another address to an endpoint',
      web(),
      packet('10.180.0.9', '10.180.0.1:80'),
      'unmatched',
      '',
    ],
    [
      'ignores a packet from a remote endpoint to itself',
      web(),
      packet('10.180.0.2', '10.180.0.2:80'),
      'unmatched',
      '',
    ],
    [
      'ignores a packet from an endpoint that is also an external IP',
      web({ externalIPs: ['10.180.0.1'] }),
      packet('10.180.0.1', '10.180.0.1:80'),
      'unmatched',
      '',
    ],
  ],
  schedulerChooses: [
    ['explains a packet with scheduler sh', web(), TO_CLUSTER_IP, 'delivered', 'where', withScheduler('sh')],
    ['ignores a packet with scheduler rr', web(), TO_CLUSTER_IP, 'delivered', '', withScheduler('rr')],
    ['ignores a packet without a scheduler', web(), TO_CLUSTER_IP, 'delivered', '', withScheduler('')],
    [
      'ignores a packet with scheduler sh to a Service without endpoints',
      web({ endpoints: [] }),
      TO_CLUSTER_IP,
      'rejected',
      '',
      withScheduler('sh'),
    ],
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
      'explains a packet from a load-balancer IP to itself',
      web(limitedTo('1.2.3.0/24')),
      packet('1.2.3.4', '1.2.3.4:80', fromNode),
      'dropped',
      'where',
    ],
    [
      'ignores a delivered packet',
      web(limitedTo('1.2.3.0/24')),
      packet('1.2.3.4', '1.2.3.4:80', fromNode),
      'delivered',
      '',
    ],
    [
      'ignores a packet from a load-balancer IP to another load-balancer IP',
      web(limitedTo('1.2.3.0/24')),
      packet('1.2.3.5', '1.2.3.4:80', fromNode),
      'dropped',
      '',
    ],
    [
      'ignores a packet if the source ranges contain the node',
      web(limitedTo('1.2.3.0/24', '192.168.0.0/24')),
      packet('1.2.3.4', '1.2.3.4:80', fromNode),
      'dropped',
      '',
    ],
    [
      'ignores a packet if there are no source ranges',
      web({ loadBalancerIPs: ['1.2.3.4'] }),
      packet('1.2.3.4', '1.2.3.4:80', fromNode),
      'dropped',
      '',
    ],
    ['ignores a packet that should be dropped', HELD, packet('1.2.3.4', '1.2.3.4:80', fromNode), 'dropped', ''],
  ],
}

it('every limitation of ipvs mode that affects packets has test rows', () => {
  expect(Object.keys(ROWS)).toEqual(Object.keys(LIMITATION_PREDICATES))
})

describe.each(Object.entries(ROWS))('the limitation %s', (code, rows) => {
  it.each(rows)('%s', (_, services, sent, end, aspects, configuration) => {
    const plan = ipvsPlanOf([services].flat(), configuration)
    expect(explained(LIMITATION_PREDICATES[code], tracedPacket(plan, sent, [end])).join(' ')).toBe(aspects)
  })
})

it("a limitation explains a packet if it explains one of the packet's outcomes", () => {
  const traced = tracedPacket(ipvsPlanOf([web()]), packet('10.0.0.9', '172.30.0.41:81', fromPod), [
    'unmatched',
    'rejected',
  ])
  expect(explained(LIMITATION_PREDICATES.otherPortsRejected, traced)).toEqual(['where'])
})
