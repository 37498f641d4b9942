import type { Packet } from '@kube-rules/types'
import { describe, expect, it } from 'vitest'
import type { Features } from '../../../../compiler/src/model/configuration/features.js'
import type { ServicePort } from '../../../../compiler/src/model/services/service-port.js'
import { decide } from '../../../../compiler/src/plan/decide.js'
import { type Configuration, cidr, packet, planOf } from '../../../../compiler/test/support/decisions.js'
import { endpoint, features, servicePort } from '../../../../compiler/test/support/model-builder.js'
import { explained, tracedPacket } from '../../../../compiler/test/support/traced.js'
import { findNftablesLimitation } from '../../../src/targets/nftables/find-limitation.js'
import { LIMITATION_PREDICATES } from '../../../src/targets/nftables/limitation-predicates.js'

// Packets that a limitation does not affect; trace/nftables-limitations.test.ts has the affected packets. The node has
// 192.168.0.2 and 192.168.1.2, and pods have addresses of 10.0.0.0/8.

type Fields = Parameters<typeof servicePort>[0]
type Row = [
  what: string,
  services: readonly ServicePort[],
  sent: Packet,
  limited: string | undefined,
  configuration?: Configuration,
]

const REMOTE = endpoint({ ip: '10.180.1.1' })
const LB = '1.2.3.4'
const NEAR = '192.168.0.2'
const FAR = '10.180.2.2'

const web = (fields: Fields = {}) => servicePort({ endpoints: [REMOTE], ...fields })
const at = (ip: string) => web({ endpoints: [endpoint({ ip })] })
const other = (fields: Fields) => servicePort({ name: 'svc2', clusterIP: '172.30.0.42', ...fields })
const served = (fields: Fields) => other({ endpoints: [endpoint({ ip: '10.180.1.9', port: 8080 })], ...fields })

const having = (fields: Partial<Features>): Configuration => ({ settings: { features: features(fields, 'nftables') } })
const NEWEST = having({})
const EARLY = having({ earlyFilters: true })
const FIRST_WINS = having({ laterFrontendWins: false })
const WITH_CHAINS = having({ squashedEndpoints: false })
const networks = (...serviceNetworks: readonly string[]): Configuration => ({
  settings: { ...NEWEST.settings, serviceNetworks },
})
const nodePortsAt = (...addresses: readonly string[]): Configuration => ({
  ...NEWEST,
  node: { nodePorts: { all: false, addresses, containsLoopback: true } },
})

const client = (to: string, fields: Partial<Packet> = {}) => packet('203.0.113.2', to, fields)
const pod = (to: string, fields: Partial<Packet> = {}) => packet('10.0.0.9', to, { origin: 'pod', ...fields })
const node = (to: string) => packet(NEAR, to, { origin: 'node' })
const LIMITED = { loadBalancerIPs: [LB], sourceRanges: [cidr('198.51.100.0/24')] }
const HOLDING_NODE = { loadBalancerIPs: [LB, '1.2.3.5'], sourceRanges: [cidr('192.168.0.0/24')] }
const WEB = '172.30.0.41:80'
const DROPPED = 'guardedAddress: dropped'
const REFUSED = 'endpointRejected: rejected'
const OWN_REFUSED = 'ownPacketsRejected: rejected'
const CONTESTED = [web({ externalIPs: [LB] }), other({ externalIPs: [LB] })]

const GUARDED: readonly Row[] = [
  [
    'returns a limitation for a packet to an external IP with source ranges of its own Service, up to 1.31',
    [web({ ...LIMITED, externalIPs: [LB] })],
    client(`${LB}:80`),
    DROPPED,
    FIRST_WINS,
  ],
  [
    'returns nothing for a packet that the load-balancer IP drops, which replaces the equal external IP',
    [web({ ...LIMITED, externalIPs: [LB] })],
    client(`${LB}:80`),
    undefined,
  ],
  [
    'returns a limitation for a packet to an external IP with source ranges of another Service',
    [web({ externalIPs: [LB] }), served(LIMITED)],
    client(`${LB}:80`),
    DROPPED,
  ],
  [
    'returns nothing for a packet to an external IP with source ranges of another Service for another port',
    [web({ externalIPs: [LB] }), served({ ...LIMITED, port: 81 })],
    client(`${LB}:80`),
    undefined,
  ],
  [
    'returns nothing for a packet to an external IP with source ranges of another Service for UDP',
    [web({ externalIPs: [LB] }), served({ ...LIMITED, protocol: 'UDP' })],
    client(`${LB}:80`),
    undefined,
  ],
  [
    'returns nothing for a packet to an external IP without source ranges',
    [web({ ...LIMITED, externalIPs: ['198.51.100.9'] })],
    client('198.51.100.9:80'),
    undefined,
  ],
  [
    'returns nothing for a packet from an allowed client',
    [web({ ...LIMITED, externalIPs: [LB] })],
    packet('198.51.100.7', `${LB}:80`),
    undefined,
  ],
  [
    'returns nothing for a packet from a client that one of two ranges allows',
    [web({ ...LIMITED, sourceRanges: [cidr('192.0.2.0/24'), cidr('198.51.100.0/24')], externalIPs: [LB] })],
    packet('198.51.100.7', `${LB}:80`),
    undefined,
  ],
  [
    'returns nothing for a packet from another load-balancer IP if the ranges contain the node',
    [web({ ...HOLDING_NODE, externalIPs: [LB] })],
    packet('1.2.3.5', `${LB}:80`, { origin: 'node' }),
    undefined,
  ],
  [
    'returns a limitation for a packet from another load-balancer IP if the ranges do not contain the node',
    [web({ ...LIMITED, loadBalancerIPs: [LB, '1.2.3.5'], externalIPs: [LB] })],
    packet('1.2.3.5', `${LB}:80`, { origin: 'node' }),
    DROPPED,
    FIRST_WINS,
  ],
  [
    'returns a limitation for a packet from an external IP if the ranges contain the node',
    [web({ ...HOLDING_NODE, externalIPs: [LB, '1.2.3.6'] })],
    packet('1.2.3.6', `${LB}:80`, { origin: 'node' }),
    DROPPED,
    FIRST_WINS,
  ],
  ['returns nothing for a packet that should be dropped', [web(LIMITED)], client(`${LB}:80`), undefined],
  [
    'returns a limitation for a packet to a Service without endpoints',
    [web({ ...LIMITED, endpoints: [] })],
    client(`${LB}:80`),
    'guardedWithoutEndpoints: dropped',
  ],
  [
    'returns a limitation for a packet from the node to a Service without endpoints',
    [web({ ...LIMITED, endpoints: [] })],
    node(`${LB}:80`),
    'guardedWithoutEndpoints: dropped',
  ],
  [
    'returns nothing for a packet from the node to a Service without endpoints until 1.33',
    [web({ ...LIMITED, endpoints: [] })],
    node(`${LB}:80`),
    undefined,
    EARLY,
  ],
  [
    'returns a limitation for a packet from another client to a Service without endpoints until 1.33',
    [web({ ...LIMITED, endpoints: [] })],
    client(`${LB}:80`),
    'guardedWithoutEndpoints: dropped',
    EARLY,
  ],
  [
    'returns a limitation for a packet from the node to a Service with endpoints until 1.31',
    [web({ ...LIMITED, externalIPs: [LB] })],
    node(`${LB}:80`),
    DROPPED,
    having({ earlyFilters: true, laterFrontendWins: false }),
  ],
]

const UNTRANSLATED: readonly Row[] = [
  [
    'returns a limitation for a packet to another port of a cluster IP',
    [web()],
    client('172.30.0.41:81'),
    'otherPortsRejected: rejected',
  ],
  [
    'returns a limitation for a packet from the node to another port of a cluster IP',
    [web()],
    node('172.30.0.41:81'),
    'otherPortsRejected: rejected',
  ],
  [
    'returns a limitation for a packet to another port of the cluster IP of one of two Services',
    [web(), served({})],
    client('172.30.0.42:81'),
    'otherPortsRejected: rejected',
  ],
  [
    'returns nothing for a packet to another port of an external IP',
    [web({ externalIPs: [LB] })],
    client(`${LB}:81`),
    undefined,
  ],
  [
    'returns nothing for a packet to another port of a cluster IP that is a node address',
    [web({ clusterIP: NEAR })],
    client(`${NEAR}:81`),
    undefined,
  ],
  [
    'returns a limitation for a packet from the node to another port of a cluster IP that is a node address',
    [web({ clusterIP: NEAR })],
    node(`${NEAR}:81`),
    'otherPortsRejected: rejected',
  ],
  [
    'returns a limitation for a packet to a free address',
    [web()],
    client('172.30.9.9:80'),
    'unallocatedDropped: dropped',
    networks('172.30.0.0/16'),
  ],
  [
    'returns a limitation for a packet to a free address of one of two service networks',
    [web()],
    client('172.30.9.9:80'),
    'unallocatedDropped: dropped',
    networks('10.96.0.0/16', '172.30.0.0/16'),
  ],
  [
    'returns nothing for a packet to a free address outside the service network',
    [web()],
    client('172.30.9.9:80'),
    undefined,
    networks('10.96.0.0/16'),
  ],
  [
    'returns nothing for a packet to an address if the service network is invalid',
    [web()],
    client('172.30.9.9:80'),
    undefined,
    networks('172.30.0.0'),
  ],
  [
    'returns nothing for a packet to an address of the node',
    [web()],
    client(`${NEAR}:80`),
    undefined,
    networks('192.168.0.0/24'),
  ],
  [
    'returns nothing for a packet to a loopback address',
    [web()],
    packet('127.0.0.2', '127.0.0.1:80'),
    undefined,
    networks('127.0.0.0/8'),
  ],
  [
    'returns a limitation for a packet from the node to an address of the node',
    [web()],
    node(`${NEAR}:80`),
    'unallocatedDropped: dropped',
    networks('192.168.0.0/24'),
  ],
  [
    'returns a limitation for a packet from the node to a health check',
    [web({ healthCheckNodePort: 30500 })],
    node(`${NEAR}:30500`),
    'unallocatedDropped: dropped',
    networks('192.168.0.0/24'),
  ],
]

const LOCAL_POLICY = { externalIPs: ['198.51.100.9'], externalPolicyLocal: true }
const SHORT_CIRCUITED: readonly Row[] = [
  ['the node', [web(LOCAL_POLICY)], node('198.51.100.9:80'), 'ownPacketsNotShortCircuited: dropped', EARLY],
  ['the node, to an address that another Service rejects', CONTESTED, node(`${LB}:80`), OWN_REFUSED, EARLY],
  ['the node, to an address that another Service rejects, from 1.34 on', CONTESTED, node(`${LB}:80`), undefined],
  ['a pod, to an address that another Service rejects', CONTESTED, pod(`${LB}:80`), undefined, EARLY],
  [
    'the node, to an address with source ranges that another Service rejects',
    [...CONTESTED, servicePort({ name: 'svc3', clusterIP: '172.30.0.43', ...LIMITED })],
    node(`${LB}:80`),
    OWN_REFUSED,
    EARLY,
  ],
  [
    'the node, to an address that another Service drops',
    [web({ externalIPs: [LB] }), served({ externalIPs: [LB], externalPolicyLocal: true })],
    node(`${LB}:80`),
    'ownPacketsRejected: dropped',
    EARLY,
  ],
  ['the node, from 1.34 on', [web(LOCAL_POLICY)], node('198.51.100.9:80'), undefined],
  ['a pod', [web(LOCAL_POLICY)], pod('198.51.100.9:80'), undefined, EARLY],
  [
    'returns a limitation for a packet from the node until 1.33',
    [web(LOCAL_POLICY)],
    node('198.51.100.9:80'),
    'ownPacketsNotShortCircuited: dropped',
    EARLY,
  ],
  ['returns nothing for a packet from the node from 1.34 on', [web(LOCAL_POLICY)], node('198.51.100.9:80'), undefined],
  ['returns nothing for a packet from a pod', [web(LOCAL_POLICY)], pod('198.51.100.9:80'), undefined, EARLY],
  [
    'returns nothing for a packet from the node if an endpoint is on the node',
    [web({ ...LOCAL_POLICY, endpoints: [REMOTE, endpoint({ local: true })] })],
    node('198.51.100.9:80'),
    undefined,
    EARLY,
  ],
  [
    'returns nothing for a packet from the node to a node port',
    [web({ nodePort: 3001, externalPolicyLocal: true })],
    node('192.168.1.2:3001'),
    undefined,
    EARLY,
  ],
]

const REFUSED_ENDPOINTS: readonly Row[] = [
  [
    'returns a limitation for an endpoint at another port of a cluster IP',
    [at(FAR), served({ clusterIP: FAR, port: 81 })],
    pod(WEB),
    REFUSED,
  ],
  [
    'returns a limitation for an endpoint at another protocol of a cluster IP',
    [at(FAR), served({ clusterIP: FAR, protocol: 'UDP' })],
    pod(WEB),
    REFUSED,
  ],
  [
    'returns a limitation for an endpoint at a cluster IP, for a packet from the node',
    [at(FAR), served({ clusterIP: FAR })],
    node(WEB),
    REFUSED,
  ],
  [
    'returns a limitation for an endpoint at a cluster IP, for a packet from the node until 1.33',
    [at(FAR), served({ clusterIP: FAR })],
    node(WEB),
    REFUSED,
    EARLY,
  ],
  [
    'returns a limitation for an endpoint at an external IP that rejects',
    [at(FAR), other({ externalIPs: [FAR] })],
    pod(WEB),
    REFUSED,
  ],
  [
    'returns a limitation for an endpoint at an external IP that rejects, for a packet from a client',
    [at(FAR), other({ externalIPs: [FAR] })],
    client(WEB),
    REFUSED,
  ],
  [
    'returns a limitation for an endpoint at an external IP that rejects, for a packet from the node',
    [at(FAR), other({ externalIPs: [FAR] })],
    node(WEB),
    REFUSED,
  ],
  [
    'returns nothing for an endpoint at an external IP that rejects, for a packet from the node until 1.33',
    [at(FAR), other({ externalIPs: [FAR] })],
    node(WEB),
    undefined,
    EARLY,
  ],
  [
    'returns a limitation for an endpoint at an external IP that rejects, for a packet from a pod until 1.33',
    [at(FAR), other({ externalIPs: [FAR] })],
    pod(WEB),
    REFUSED,
    EARLY,
  ],
  [
    'returns a limitation for an endpoint at an external IP that drops',
    [at(FAR), served({ externalIPs: [FAR], externalPolicyLocal: true })],
    pod(WEB),
    'endpointRejected: dropped',
  ],
  [
    'returns nothing for an endpoint at an external IP with endpoints',
    [at(FAR), served({ externalIPs: [FAR] })],
    pod(WEB),
    undefined,
  ],
  [
    'returns nothing for an endpoint at another port of an external IP',
    [at(FAR), other({ externalIPs: [FAR], port: 81 })],
    pod(WEB),
    undefined,
  ],
  [
    'returns nothing for an endpoint at another protocol of an external IP',
    [at(FAR), other({ externalIPs: [FAR], protocol: 'UDP' })],
    pod(WEB),
    undefined,
  ],
  [
    'returns nothing for an endpoint at a node port of another node',
    [at(FAR), other({ nodePort: 80 })],
    pod(WEB),
    undefined,
  ],
  ['returns a limitation for an endpoint at a node port', [at(NEAR), other({ nodePort: 80 })], pod(WEB), REFUSED],
  [
    'returns a limitation for an endpoint at a node port, for a packet from the node',
    [at(NEAR), other({ nodePort: 80 })],
    node(WEB),
    REFUSED,
  ],
  ['returns nothing for an endpoint at another node port', [at(NEAR), other({ nodePort: 81 })], pod(WEB), undefined],
  [
    'returns nothing for an endpoint at a node address, with the same port at an external IP',
    [at(NEAR), other({ externalIPs: [LB] })],
    pod(WEB),
    undefined,
  ],
  [
    'returns nothing for an endpoint at a node port of a loopback address',
    [at('127.0.0.1'), other({ nodePort: 80 })],
    pod(WEB),
    undefined,
  ],
  [
    'returns a limitation for an endpoint at a node port of a loopback address with node ports',
    [at('127.0.0.1'), other({ nodePort: 80 })],
    pod(WEB),
    REFUSED,
    nodePortsAt('127.0.0.1'),
  ],
  [
    'returns a limitation for an endpoint at a node port of an address with node ports',
    [at(NEAR), other({ nodePort: 80 })],
    pod(WEB),
    REFUSED,
    nodePortsAt('192.168.1.2', NEAR),
  ],
  [
    'returns nothing for an endpoint at a node port of an address without node ports',
    [at(NEAR), other({ nodePort: 80 })],
    pod(WEB),
    undefined,
    nodePortsAt('192.168.1.2'),
  ],
  [
    'returns a limitation for an endpoint at an external IP of the node',
    [at(NEAR), other({ externalIPs: [NEAR] })],
    pod(WEB),
    REFUSED,
  ],
  [
    'returns a limitation for an endpoint at an external IP of the node, for a packet from the node until 1.33',
    [at(NEAR), other({ externalIPs: [NEAR] })],
    node(WEB),
    REFUSED,
    EARLY,
  ],
  [
    'returns nothing for an endpoint at a cluster IP of the node',
    [at(NEAR), served({ clusterIP: NEAR })],
    pod(WEB),
    undefined,
  ],
  [
    'returns a limitation for an endpoint at a node port that rejects before an external IP drops',
    [at(NEAR), other({ nodePort: 80 }), served({ name: 'svc3', externalIPs: [NEAR], externalPolicyLocal: true })],
    pod(WEB),
    REFUSED,
  ],
  [
    'returns a limitation for an endpoint at a node address with source ranges, for a packet from the node',
    [at(NEAR), served({ ...LIMITED, loadBalancerIPs: [NEAR] })],
    node(WEB),
    'endpointRejected: dropped',
  ],
  [
    'returns nothing for an endpoint at a node address with source ranges for another port, for a packet from the node',
    [at(NEAR), served({ ...LIMITED, loadBalancerIPs: [NEAR], port: 81 })],
    node(WEB),
    undefined,
  ],
  [
    'returns nothing for an endpoint at a node address with source ranges, for a packet from a pod',
    [at(NEAR), served({ ...LIMITED, loadBalancerIPs: [NEAR] })],
    pod(WEB),
    undefined,
  ],
  ['returns nothing for an endpoint at an unused address', [at(FAR), served({})], pod(WEB), undefined],
  [
    'returns nothing for an endpoint at an unused address, for a packet from the node',
    [at(FAR), served({})],
    node(WEB),
    undefined,
  ],
]

const hairpin = packet('10.180.1.1', WEB, { origin: 'pod' })
const HAIRPINS: readonly Row[] = [
  [
    'returns a limitation for a packet from a remote endpoint to itself',
    [web()],
    hairpin,
    'remoteHairpin: 10.180.1.1:80 1',
  ],
  [
    'returns nothing for a packet from a remote endpoint to itself until 1.35',
    [web()],
    hairpin,
    undefined,
    WITH_CHAINS,
  ],
  [
    'returns nothing for a packet from an endpoint on the node to itself',
    [web({ endpoints: [{ ...REMOTE, local: true }] })],
    hairpin,
    undefined,
  ],
  [
    'returns nothing for a packet from an endpoint that is a local endpoint of another Service',
    [web(), other({ endpoints: [{ ...REMOTE, local: true }] })],
    hairpin,
    undefined,
  ],
  [
    'returns a limitation for a packet from a remote endpoint if a local endpoint has another port',
    [web(), other({ endpoints: [endpoint({ ip: REMOTE.ip, port: 81, local: true })] })],
    hairpin,
    'remoteHairpin: 10.180.1.1:80 1',
  ],
  [
    'returns a limitation for a packet from a remote endpoint if a local endpoint has another address',
    [web(), other({ endpoints: [endpoint({ ip: '10.180.1.3', local: true })] })],
    hairpin,
    'remoteHairpin: 10.180.1.1:80 1',
  ],
  [
    'returns a limitation for a packet from a remote endpoint if a local endpoint has another protocol',
    [web(), other({ protocol: 'UDP', endpoints: [{ ...REMOTE, local: true }] })],
    hairpin,
    'remoteHairpin: 10.180.1.1:80 1',
  ],
  [
    'returns nothing for a packet that is masqueraded anyway',
    [web()],
    hairpin,
    undefined,
    { settings: { masqueradeAll: true } },
  ],
  ['returns nothing for a packet from an address that is no endpoint', [web()], pod(WEB), undefined],
  [
    'returns a limitation for a packet from one of two endpoints',
    [web({ endpoints: [REMOTE, endpoint({ ip: '10.180.1.2' })] })],
    hairpin,
    'remoteHairpin: 10.180.1.1:80 1/2 10.180.1.2:80 1/2',
  ],
  [
    'returns a limitation for a packet from one of two endpoints if the other is rejected',
    [web({ endpoints: [REMOTE, endpoint({ ip: FAR })] }), other({ clusterIP: FAR })],
    hairpin,
    'endpointRejected: 10.180.1.1:80 1/2 rejected',
  ],
  [
    'returns a limitation for a packet from one of two endpoints if the other is rejected, until 1.35',
    [web({ endpoints: [REMOTE, endpoint({ ip: FAR })] }), other({ clusterIP: FAR })],
    hairpin,
    'endpointRejected: 10.180.1.1:80* 1/2 rejected',
    WITH_CHAINS,
  ],
]

describe.each([
  ['source ranges', GUARDED],
  ['packets to no Service', UNTRANSLATED],
  ['short circuits', SHORT_CIRCUITED],
  ['rejected endpoints', REFUSED_ENDPOINTS],
  ['hairpins', HAIRPINS],
])('findNftablesLimitation with %s', (_, rows) => {
  it.each(rows)('%s', (_, services, sent, expected, configuration = NEWEST) => {
    const plan = planOf(services, configuration)
    const limited = findNftablesLimitation(plan, sent, decide(plan, sent))
    expect(limited && `${limited.code}: ${limited.texts.join(' ')}`).toBe(expected)
  })
})

describe('a limitation of nftables mode', () => {
  const plan = planOf([web()])

  it.each([
    ['explains its effect on a packet', 'otherPortsRejected', 'rejected', ['where', 'masquerade']],
    ['does not explain another effect on the packet', 'otherPortsRejected', 'dropped', []],
    ['does not explain the effect of another limitation', 'unallocatedDropped', 'rejected', []],
  ] as const)('%s', (_, code, end, aspects) => {
    expect(explained(LIMITATION_PREDICATES[code], tracedPacket(plan, client('172.30.0.41:81'), [end]))).toEqual(aspects)
  })

  it('does not explain packets that it does not affect', () => {
    const traced = tracedPacket(plan, pod(WEB), ['delivered'])
    expect(Object.values(LIMITATION_PREDICATES).flatMap((each) => explained(each, traced))).toEqual([])
  })
})
