import type { Packet } from '@kube-rules/types'
import { describe, expect, it } from 'vitest'
import type { Features } from '../../../../compiler/src/model/configuration/features.js'
import type { ServicePort } from '../../../../compiler/src/model/services/service-port.js'
import { decide } from '../../../../compiler/src/plan/decide.js'
import { type Configuration, cidr, packet, planOf } from '../../../../compiler/test/support/decisions.js'
import { endpoint, features, servicePort } from '../../../../compiler/test/support/model-builder.js'
import { explained, tracedPacket } from '../../../../compiler/test/support/traced.js'
import { LIMITATION_PREDICATES } from '../../../src/targets/nftables/limitation-predicates.js'
import { findNftablesLimitation } from '../../../src/targets/nftables/limited-packets.js'

// Packets that a limitation does not affect; trace/nftables-limitations.test.ts has the affected ones. The node has
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
  ['an external IP with source ranges', [web({ ...LIMITED, externalIPs: [LB] })], client(`${LB}:80`), DROPPED],
  [
    'one with the ranges of another Service',
    [web({ externalIPs: [LB] }), served(LIMITED)],
    client(`${LB}:80`),
    DROPPED,
  ],
  [
    'one with the ranges of another Service, for another port',
    [web({ externalIPs: [LB] }), served({ ...LIMITED, port: 81 })],
    client(`${LB}:80`),
    undefined,
  ],
  [
    'one with the ranges of another Service, over UDP',
    [web({ externalIPs: [LB] }), served({ ...LIMITED, protocol: 'UDP' })],
    client(`${LB}:80`),
    undefined,
  ],
  [
    'an external IP in addition to source ranges',
    [web({ ...LIMITED, externalIPs: ['198.51.100.9'] })],
    client('198.51.100.9:80'),
    undefined,
  ],
  ['an allowed client', [web({ ...LIMITED, externalIPs: [LB] })], packet('198.51.100.7', `${LB}:80`), undefined],
  [
    'an allowed client, of several ranges',
    [web({ ...LIMITED, sourceRanges: [cidr('192.0.2.0/24'), cidr('198.51.100.0/24')], externalIPs: [LB] })],
    packet('198.51.100.7', `${LB}:80`),
    undefined,
  ],
  [
    'a load-balancer IP that allows the node',
    [web({ ...HOLDING_NODE, externalIPs: [LB] })],
    packet('1.2.3.5', `${LB}:80`, { origin: 'node' }),
    undefined,
  ],
  [
    'a load-balancer IP that does not allow the node',
    [web({ ...LIMITED, loadBalancerIPs: [LB, '1.2.3.5'], externalIPs: [LB] })],
    packet('1.2.3.5', `${LB}:80`, { origin: 'node' }),
    DROPPED,
  ],
  [
    'an external IP that allows the node',
    [web({ ...HOLDING_NODE, externalIPs: [LB, '1.2.3.6'] })],
    packet('1.2.3.6', `${LB}:80`, { origin: 'node' }),
    DROPPED,
  ],
  ['a client to drop', [web(LIMITED)], client(`${LB}:80`), undefined],
  ['no endpoints', [web({ ...LIMITED, endpoints: [] })], client(`${LB}:80`), 'guardedWithoutEndpoints: dropped'],
  [
    'no endpoints, of the node',
    [web({ ...LIMITED, endpoints: [] })],
    node(`${LB}:80`),
    'guardedWithoutEndpoints: dropped',
  ],
  ['no endpoints, of the node until 1.33', [web({ ...LIMITED, endpoints: [] })], node(`${LB}:80`), undefined, EARLY],
  [
    'no endpoints, of other clients until 1.33',
    [web({ ...LIMITED, endpoints: [] })],
    client(`${LB}:80`),
    'guardedWithoutEndpoints: dropped',
    EARLY,
  ],
  ['endpoints, of the node until 1.33', [web({ ...LIMITED, externalIPs: [LB] })], node(`${LB}:80`), DROPPED, EARLY],
]

const UNTRANSLATED: readonly Row[] = [
  ['another port of a cluster IP', [web()], client('172.30.0.41:81'), 'otherPortsRejected: rejected'],
  ['another port of a cluster IP, of the node', [web()], node('172.30.0.41:81'), 'otherPortsRejected: rejected'],
  [
    'another port of the cluster IP of one of several',
    [web(), served({})],
    client('172.30.0.42:81'),
    'otherPortsRejected: rejected',
  ],
  ['another port of an external IP', [web({ externalIPs: [LB] })], client(`${LB}:81`), undefined],
  ['another port of a cluster IP that the node has', [web({ clusterIP: NEAR })], client(`${NEAR}:81`), undefined],
  [
    'another port of a cluster IP that the node has, of the node',
    [web({ clusterIP: NEAR })],
    node(`${NEAR}:81`),
    'otherPortsRejected: rejected',
  ],
  ['a free address', [web()], client('172.30.9.9:80'), 'unallocatedDropped: dropped', networks('172.30.0.0/16')],
  [
    'a free address of one of several networks',
    [web()],
    client('172.30.9.9:80'),
    'unallocatedDropped: dropped',
    networks('10.96.0.0/16', '172.30.0.0/16'),
  ],
  ['a free address of another network', [web()], client('172.30.9.9:80'), undefined, networks('10.96.0.0/16')],
  ['an invalid network', [web()], client('172.30.9.9:80'), undefined, networks('172.30.0.0')],
  ['an address of the node', [web()], client(`${NEAR}:80`), undefined, networks('192.168.0.0/24')],
  ['a loopback address', [web()], packet('127.0.0.2', '127.0.0.1:80'), undefined, networks('127.0.0.0/8')],
  [
    'an address of the node, from itself',
    [web()],
    node(`${NEAR}:80`),
    'unallocatedDropped: dropped',
    networks('192.168.0.0/24'),
  ],
  [
    'a health check, of the node',
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
    'the node, where an endpoint is on it',
    [web({ ...LOCAL_POLICY, endpoints: [REMOTE, endpoint({ local: true })] })],
    node('198.51.100.9:80'),
    undefined,
    EARLY,
  ],
  [
    'the node, at a node port',
    [web({ nodePort: 3001, externalPolicyLocal: true })],
    node('192.168.1.2:3001'),
    undefined,
    EARLY,
  ],
]

const REFUSED_ENDPOINTS: readonly Row[] = [
  ['another port of a cluster IP', [at(FAR), served({ clusterIP: FAR, port: 81 })], pod(WEB), REFUSED],
  ['another protocol of a cluster IP', [at(FAR), served({ clusterIP: FAR, protocol: 'UDP' })], pod(WEB), REFUSED],
  ['a cluster IP, of the node', [at(FAR), served({ clusterIP: FAR })], node(WEB), REFUSED],
  ['a cluster IP, of the node until 1.33', [at(FAR), served({ clusterIP: FAR })], node(WEB), REFUSED, EARLY],
  ['an external IP that rejects', [at(FAR), other({ externalIPs: [FAR] })], pod(WEB), REFUSED],
  ['an external IP that rejects, of a client', [at(FAR), other({ externalIPs: [FAR] })], client(WEB), REFUSED],
  ['an external IP that rejects, of the node', [at(FAR), other({ externalIPs: [FAR] })], node(WEB), REFUSED],
  [
    'an external IP that rejects, of the node until 1.33',
    [at(FAR), other({ externalIPs: [FAR] })],
    node(WEB),
    undefined,
    EARLY,
  ],
  [
    'an external IP that rejects, of other clients until 1.33',
    [at(FAR), other({ externalIPs: [FAR] })],
    pod(WEB),
    REFUSED,
    EARLY,
  ],
  [
    'an external IP that drops',
    [at(FAR), served({ externalIPs: [FAR], externalPolicyLocal: true })],
    pod(WEB),
    'endpointRejected: dropped',
  ],
  ['an external IP with endpoints', [at(FAR), served({ externalIPs: [FAR] })], pod(WEB), undefined],
  ['another port of an external IP', [at(FAR), other({ externalIPs: [FAR], port: 81 })], pod(WEB), undefined],
  [
    'another protocol of an external IP',
    [at(FAR), other({ externalIPs: [FAR], protocol: 'UDP' })],
    pod(WEB),
    undefined,
  ],
  ['a node port of another node', [at(FAR), other({ nodePort: 80 })], pod(WEB), undefined],
  ['a node port', [at(NEAR), other({ nodePort: 80 })], pod(WEB), REFUSED],
  ['a node port, of the node', [at(NEAR), other({ nodePort: 80 })], node(WEB), REFUSED],
  ['another node port', [at(NEAR), other({ nodePort: 81 })], pod(WEB), undefined],
  [
    'a port of the node that is also one of an external IP',
    [at(NEAR), other({ externalIPs: [LB] })],
    pod(WEB),
    undefined,
  ],
  ['a node port of a loopback address', [at('127.0.0.1'), other({ nodePort: 80 })], pod(WEB), undefined],
  [
    'a node port of a loopback address that has them',
    [at('127.0.0.1'), other({ nodePort: 80 })],
    pod(WEB),
    REFUSED,
    nodePortsAt('127.0.0.1'),
  ],
  [
    'a node port of an address that has them',
    [at(NEAR), other({ nodePort: 80 })],
    pod(WEB),
    REFUSED,
    nodePortsAt('192.168.1.2', NEAR),
  ],
  [
    'a node port of an address without them',
    [at(NEAR), other({ nodePort: 80 })],
    pod(WEB),
    undefined,
    nodePortsAt('192.168.1.2'),
  ],
  ['an external IP of the node', [at(NEAR), other({ externalIPs: [NEAR] })], pod(WEB), REFUSED],
  [
    'an external IP of the node, of itself until 1.33',
    [at(NEAR), other({ externalIPs: [NEAR] })],
    node(WEB),
    REFUSED,
    EARLY,
  ],
  ['a cluster IP of the node', [at(NEAR), served({ clusterIP: NEAR })], pod(WEB), undefined],
  [
    'a node port that rejects before an external IP drops',
    [at(NEAR), other({ nodePort: 80 }), served({ name: 'svc3', externalIPs: [NEAR], externalPolicyLocal: true })],
    pod(WEB),
    REFUSED,
  ],
  [
    'source ranges at an address of the node, of itself',
    [at(NEAR), served({ ...LIMITED, loadBalancerIPs: [NEAR] })],
    node(WEB),
    'endpointRejected: dropped',
  ],
  [
    'source ranges at another port of the node, of itself',
    [at(NEAR), served({ ...LIMITED, loadBalancerIPs: [NEAR], port: 81 })],
    node(WEB),
    undefined,
  ],
  [
    'source ranges at an address of the node, of other clients',
    [at(NEAR), served({ ...LIMITED, loadBalancerIPs: [NEAR] })],
    pod(WEB),
    undefined,
  ],
  ['an unused address', [at(FAR), served({})], pod(WEB), undefined],
  ['an unused address, of the node', [at(FAR), served({})], node(WEB), undefined],
]

const hairpin = packet('10.180.1.1', WEB, { origin: 'pod' })
const HAIRPINS: readonly Row[] = [
  ['a remote endpoint', [web()], hairpin, 'remoteHairpin: 10.180.1.1:80 1'],
  ['a remote endpoint, until 1.35', [web()], hairpin, undefined, WITH_CHAINS],
  ['an endpoint on the node', [web({ endpoints: [{ ...REMOTE, local: true }] })], hairpin, undefined],
  [
    'an endpoint of another Service on the node',
    [web(), other({ endpoints: [{ ...REMOTE, local: true }] })],
    hairpin,
    undefined,
  ],
  [
    'another port of the node',
    [web(), other({ endpoints: [endpoint({ ip: REMOTE.ip, port: 81, local: true })] })],
    hairpin,
    'remoteHairpin: 10.180.1.1:80 1',
  ],
  [
    'another address of the node',
    [web(), other({ endpoints: [endpoint({ ip: '10.180.1.3', local: true })] })],
    hairpin,
    'remoteHairpin: 10.180.1.1:80 1',
  ],
  [
    'an endpoint of UDP on the node',
    [web(), other({ protocol: 'UDP', endpoints: [{ ...REMOTE, local: true }] })],
    hairpin,
    'remoteHairpin: 10.180.1.1:80 1',
  ],
  ['a packet that is masqueraded anyway', [web()], hairpin, undefined, { settings: { masqueradeAll: true } }],
  ['another endpoint', [web()], pod(WEB), undefined],
  [
    'one of several endpoints',
    [web({ endpoints: [REMOTE, endpoint({ ip: '10.180.1.2' })] })],
    hairpin,
    'remoteHairpin: 10.180.1.1:80 1/2 10.180.1.2:80 1/2',
  ],
  [
    'one of several endpoints, with another one rejected',
    [web({ endpoints: [REMOTE, endpoint({ ip: FAR })] }), other({ clusterIP: FAR })],
    hairpin,
    'endpointRejected: 10.180.1.1:80 1/2 rejected',
  ],
  [
    'one of several endpoints, with another one rejected, until 1.35',
    [web({ endpoints: [REMOTE, endpoint({ ip: FAR })] }), other({ clusterIP: FAR })],
    hairpin,
    'endpointRejected: 10.180.1.1:80* 1/2 rejected',
    WITH_CHAINS,
  ],
]

describe.each([
  ['source ranges', GUARDED],
  ['a packet to no Service', UNTRANSLATED],
  ['short circuits', SHORT_CIRCUITED],
  ['an endpoint at', REFUSED_ENDPOINTS],
  ['hairpins', HAIRPINS],
])('findNftablesLimitation with %s', (_, rows) => {
  it.each(rows)('%s', (_, services, sent, expected, configuration = NEWEST) => {
    const plan = planOf(services, configuration)
    const limited = findNftablesLimitation(plan, sent, decide(plan, sent))
    expect(limited && `${limited.code}: ${limited.texts.join(' ')}`).toBe(expected)
  })
})

describe('a limitation of mode nftables', () => {
  const plan = planOf([web()])

  it.each([
    ['explains its effect on a packet', 'otherPortsRejected', 'rejected', ['where', 'masquerade']],
    ['does not explain another effect on the packet', 'otherPortsRejected', 'dropped', []],
    ['does not explain the effect of another limitation', 'unallocatedDropped', 'rejected', []],
  ] as const)('%s', (_, code, end, aspects) => {
    expect(explained(LIMITATION_PREDICATES[code], tracedPacket(plan, client('172.30.0.41:81'), [end]))).toEqual(aspects)
  })

  it('nothing of unaffected packets', () => {
    const traced = tracedPacket(plan, pod(WEB), ['delivered'])
    expect(Object.values(LIMITATION_PREDICATES).flatMap((each) => explained(each, traced))).toEqual([])
  })
})
