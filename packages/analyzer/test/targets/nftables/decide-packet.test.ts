import { cidr, packet } from '../../../../compiler/test/support/decisions.js'
import { endpoint, servicePort } from '../../../../compiler/test/support/model-builder.js'
import { type DecisionRow, describeDecisions, type Fields, type RowContext } from '../../support/decision-rows.js'

const REMOTE = endpoint({ ip: '10.180.1.1' })
const NEAR_ENDPOINT = { ...REMOTE, local: true }
const LB = '1.2.3.4'
const NEAR = '192.168.0.2'
const FAR = '10.180.2.2'
const EXTERNAL = '198.51.100.9'
const WEB = '172.30.0.41:80'

const web = (fields: Fields = {}) => servicePort({ endpoints: [REMOTE], ...fields })
const at = (ip: string) => web({ endpoints: [endpoint({ ip })] })
const other = (fields: Fields) => servicePort({ name: 'svc2', clusterIP: '172.30.0.42', ...fields })
const served = (fields: Fields) => other({ endpoints: [endpoint({ ip: '10.180.1.9', port: 8080 })], ...fields })
const client = (to: string) => packet('203.0.113.2', to)
const pod = (to: string) => packet('10.0.0.9', to, { origin: 'pod' })
const node = (to: string) => packet(NEAR, to, { origin: 'node' })

const V1_29: RowContext = { version: '1.29' }
const V1_31: RowContext = { version: '1.31' }
const V1_33: RowContext = { version: '1.33' }
const V1_35: RowContext = { version: '1.35' }
const networks = (...serviceNetworks: readonly string[]): RowContext => ({ settings: { serviceNetworks } })
const nodePortsAt = (...addresses: readonly string[]): RowContext => ({
  node: { nodePorts: { all: false, addresses, containsLoopback: true } },
  settings: { localhostNodePorts: true },
})
const LIMITED = { loadBalancerIPs: [LB], sourceRanges: [cidr('198.51.100.0/24')] }
const HOLDING_NODE = { loadBalancerIPs: [LB, '1.2.3.5'], sourceRanges: [cidr('192.168.0.0/24')] }
const BOTH_LOCAL = { endpoints: [NEAR_ENDPOINT], externalPolicyLocal: true, internalPolicyLocal: true }
const LOCAL_POLICY = { externalIPs: [EXTERNAL], externalPolicyLocal: true }
const CONTESTED = [web({ externalIPs: [LB] }), other({ externalIPs: [LB] })]
const ONE = '10.180.1.1:80'
const GUARDED = 'dropped; guardedAddress'
const REJECTED = 'rejected; endpointRejected'

const ROWS: Readonly<Record<string, readonly DecisionRow[]>> = {
  'source ranges': [
    ['not allowed', web(LIMITED), client(`${LB}:80`), 'dropped'],
    ['allowed', web(LIMITED), packet('198.51.100.7', `${LB}:80`), `${ONE}*`],
    ['external IP with ranges in 1.31', web({ ...LIMITED, externalIPs: [LB] }), client(`${LB}:80`), GUARDED, V1_31],
    [
      'external IP with ranges, which the load-balancer IP replaces',
      web({ ...LIMITED, externalIPs: [LB] }),
      client(`${LB}:80`),
      'dropped',
    ],
    [
      'external IP with ranges of another Service',
      [web({ externalIPs: [LB] }), served(LIMITED)],
      client(`${LB}:80`),
      GUARDED,
    ],
    [
      'external IP with ranges of another Service for another port',
      [web({ externalIPs: [LB] }), served({ ...LIMITED, port: 81 })],
      client(`${LB}:80`),
      `${ONE}*`,
    ],
    [
      'external IP with ranges of another Service for UDP',
      [web({ externalIPs: [LB] }), served({ ...LIMITED, protocol: 'UDP' })],
      client(`${LB}:80`),
      `${ONE}*`,
    ],
    ['external IP without ranges', web({ ...LIMITED, externalIPs: [EXTERNAL] }), client(`${EXTERNAL}:80`), `${ONE}*`],
    [
      'external IP, second range allows',
      web({ ...LIMITED, sourceRanges: [cidr('192.0.2.0/24'), cidr('198.51.100.0/24')], externalIPs: [LB] }),
      packet('198.51.100.7', `${LB}:80`),
      `${ONE}*`,
    ],
    [
      'from another load-balancer IP, ranges with the node',
      web({ ...HOLDING_NODE, externalIPs: [LB] }),
      packet('1.2.3.5', `${LB}:80`, { origin: 'node' }),
      `${ONE}*`,
    ],
    [
      'from another load-balancer IP, ranges without the node',
      web({ ...LIMITED, loadBalancerIPs: [LB, '1.2.3.5'], externalIPs: [LB] }),
      packet('1.2.3.5', `${LB}:80`, { origin: 'node' }),
      GUARDED,
      V1_31,
    ],
    [
      'from an external IP, ranges with the node',
      web({ ...HOLDING_NODE, externalIPs: [LB, '1.2.3.6'] }),
      packet('1.2.3.6', `${LB}:80`, { origin: 'node' }),
      GUARDED,
      V1_31,
    ],
    ['no endpoints', web({ ...LIMITED, endpoints: [] }), client(`${LB}:80`), 'dropped; guardedWithoutEndpoints'],
    [
      'no endpoints, from the node',
      web({ ...LIMITED, endpoints: [] }),
      node(`${LB}:80`),
      'dropped; guardedWithoutEndpoints',
    ],
    ['no endpoints, from the node in 1.33', web({ ...LIMITED, endpoints: [] }), node(`${LB}:80`), 'rejected', V1_33],
    [
      'no endpoints in 1.33',
      web({ ...LIMITED, endpoints: [] }),
      client(`${LB}:80`),
      'dropped; guardedWithoutEndpoints',
      V1_33,
    ],
    ['not allowed in 1.29', web(LIMITED), client(`${LB}:80`), `${ONE}*; sourceRangesUnchecked`, V1_29],
    ['allowed in 1.29', web(LIMITED), packet('198.51.100.2', `${LB}:80`), `${ONE}*`, V1_29],
    ['not allowed, from the node in 1.29', web(LIMITED), node(`${LB}:80`), 'dropped', V1_29],
    [
      'from another load-balancer IP, from the node in 1.29',
      web(HOLDING_NODE),
      packet('1.2.3.5', `${LB}:80`, { origin: 'node' }),
      'dropped; otherLoadBalancerIPs',
      V1_29,
    ],
  ],
  'packets to no Service': [
    ['other port', web(), client('172.30.0.41:81'), 'rejected; otherPortsRejected'],
    ['other port, from the node', web(), node('172.30.0.41:81'), 'rejected; otherPortsRejected'],
    ['other port in 1.29', web(), client('172.30.0.41:81'), 'unmatched', V1_29],
    ['other port of an external IP', web({ externalIPs: [LB] }), client(`${LB}:81`), 'unmatched'],
    ['other port of a cluster IP of the node', web({ clusterIP: NEAR }), client(`${NEAR}:81`), 'to the node'],
    [
      'other port of a cluster IP of the node, from the node',
      web({ clusterIP: NEAR }),
      node(`${NEAR}:81`),
      'rejected; otherPortsRejected',
    ],
    ['free address', web(), client('172.30.9.9:80'), 'dropped; unallocatedDropped', networks('172.30.0.0/16')],
    [
      'free address of the second network',
      web(),
      client('172.30.9.9:80'),
      'dropped; unallocatedDropped',
      networks('10.96.0.0/16', '172.30.0.0/16'),
    ],
    ['free address outside', web(), client('172.30.9.9:80'), 'unmatched', networks('10.96.0.0/16')],
    ['address of the node', web(), client(`${NEAR}:80`), 'to the node', networks('192.168.0.0/24')],
    [
      'address of the node, from the node',
      web(),
      node(`${NEAR}:80`),
      'dropped; unallocatedDropped',
      networks('192.168.0.0/24'),
    ],
    [
      'health check, from the node',
      web({ healthCheckNodePort: 30500 }),
      node(`${NEAR}:30500`),
      'dropped; unallocatedDropped',
      networks('192.168.0.0/24'),
    ],
    ['health check', web({ healthCheckNodePort: 30500 }), client(`${NEAR}:30500`), 'to the node'],
    [
      'node port on loopback',
      other({ nodePort: 3001 }),
      packet('127.0.0.1', '127.0.0.1:3001', { origin: 'node' }),
      'to the node',
    ],
  ],
  'filters before DNAT': [
    [
      'policy Local, from the node in 1.33',
      web(LOCAL_POLICY),
      node(`${EXTERNAL}:80`),
      'dropped; ownPacketsNotShortCircuited',
      V1_33,
    ],
    ['policy Local, from the node', web(LOCAL_POLICY), node(`${EXTERNAL}:80`), `${ONE}*`],
    ['policy Local, from a pod in 1.33', web(LOCAL_POLICY), pod(`${EXTERNAL}:80`), ONE, V1_33],
    [
      'policy Local with a local endpoint, from the node in 1.33',
      web({ ...LOCAL_POLICY, endpoints: [REMOTE, endpoint({ local: true })] }),
      node(`${EXTERNAL}:80`),
      '10.180.0.1:80* 1/2, 10.180.1.1:80* 1/2',
      V1_33,
    ],
    [
      'policy Local at a node port, from the node in 1.33',
      web({ nodePort: 3001, externalPolicyLocal: true }),
      node('192.168.1.2:3001'),
      `${ONE}*`,
      V1_33,
    ],
    [
      'policy Local at a node port, from the node in 1.29',
      web({ nodePort: 3001, externalPolicyLocal: true }),
      node('192.168.1.2:3001'),
      'dropped; ownPacketsNotShortCircuited',
      V1_29,
    ],
    [
      'another Service rejects, from the node in 1.33',
      CONTESTED,
      node(`${LB}:80`),
      'rejected; ownPacketsRejected',
      V1_33,
    ],
    ['another Service rejects, from the node', CONTESTED, node(`${LB}:80`), `${ONE}*`],
    ['another Service rejects, from a pod in 1.33', CONTESTED, pod(`${LB}:80`), `${ONE}*`, V1_33],
    [
      'another Service drops, from the node in 1.33',
      [web({ externalIPs: [LB] }), served({ externalIPs: [LB], externalPolicyLocal: true })],
      node(`${LB}:80`),
      'dropped; ownPacketsRejected',
      V1_33,
    ],
    [
      'the first Service rejects',
      [other({ name: 'svc0', externalIPs: [LB] }), web({ externalIPs: [LB] })],
      pod(`${LB}:80`),
      `${ONE}*; contested`,
    ],
  ],
  'rejected endpoints': [
    ['other port of a cluster IP', [at(FAR), served({ clusterIP: FAR, port: 81 })], pod(WEB), REJECTED],
    [
      'other port of a cluster IP in 1.29',
      [at(FAR), served({ clusterIP: FAR, port: 81 })],
      pod(WEB),
      `${FAR}:80`,
      V1_29,
    ],
    ['cluster IP, from the node', [at(FAR), served({ clusterIP: FAR })], node(WEB), REJECTED],
    ['cluster IP, from the node in 1.33', [at(FAR), served({ clusterIP: FAR })], node(WEB), REJECTED, V1_33],
    ['external IP', [at(FAR), other({ externalIPs: [FAR] })], pod(WEB), REJECTED],
    ['external IP, from outside', [at(FAR), other({ externalIPs: [FAR] })], client(WEB), REJECTED],
    ['external IP, from the node', [at(FAR), other({ externalIPs: [FAR] })], node(WEB), REJECTED],
    ['external IP, from the node in 1.33', [at(FAR), other({ externalIPs: [FAR] })], node(WEB), `${FAR}:80*`, V1_33],
    ['external IP, from a pod in 1.33', [at(FAR), other({ externalIPs: [FAR] })], pod(WEB), REJECTED, V1_33],
    [
      'external IP that drops',
      [at(FAR), served({ externalIPs: [FAR], externalPolicyLocal: true })],
      pod(WEB),
      'dropped; endpointRejected',
    ],
    ['external IP with endpoints', [at(FAR), served({ externalIPs: [FAR] })], pod(WEB), `${FAR}:80`],
    ['other port of an external IP', [at(FAR), other({ externalIPs: [FAR], port: 81 })], pod(WEB), `${FAR}:80`],
    [
      'other protocol of an external IP',
      [at(FAR), other({ externalIPs: [FAR], protocol: 'UDP' })],
      pod(WEB),
      `${FAR}:80`,
    ],
    ['node port of another node', [at(FAR), other({ nodePort: 80 })], pod(WEB), `${FAR}:80`],
    ['node port', [at(NEAR), other({ nodePort: 80 })], pod(WEB), REJECTED],
    ['node port, from the node', [at(NEAR), other({ nodePort: 80 })], node(WEB), REJECTED],
    ['other node port', [at(NEAR), other({ nodePort: 81 })], pod(WEB), `${NEAR}:80`],
    ['node port of a loopback address', [at('127.0.0.1'), other({ nodePort: 80 })], pod(WEB), '127.0.0.1:80'],
    [
      'node port of a served loopback address',
      [at('127.0.0.1'), other({ nodePort: 80 })],
      pod(WEB),
      REJECTED,
      nodePortsAt('127.0.0.1'),
    ],
    [
      'node port of a served address',
      [at(NEAR), other({ nodePort: 80 })],
      pod(WEB),
      REJECTED,
      nodePortsAt('192.168.1.2', NEAR),
    ],
    [
      'node port of another address',
      [at(NEAR), other({ nodePort: 80 })],
      pod(WEB),
      `${NEAR}:80`,
      nodePortsAt('192.168.1.2'),
    ],
    ['external IP of the node', [at(NEAR), other({ externalIPs: [NEAR] })], pod(WEB), REJECTED],
    [
      'external IP of the node, from the node in 1.33',
      [at(NEAR), other({ externalIPs: [NEAR] })],
      node(WEB),
      REJECTED,
      V1_33,
    ],
    ['cluster IP of the node', [at(NEAR), served({ clusterIP: NEAR })], pod(WEB), `${NEAR}:80`],
    [
      'node port that rejects before an external IP drops',
      [at(NEAR), other({ nodePort: 80 }), served({ name: 'svc3', externalIPs: [NEAR], externalPolicyLocal: true })],
      pod(WEB),
      REJECTED,
    ],
    [
      'source ranges at a node address, from the node',
      [at(NEAR), served({ ...LIMITED, loadBalancerIPs: [NEAR] })],
      node(WEB),
      'dropped; endpointRejected',
    ],
    [
      'source ranges at a node address, from a pod',
      [at(NEAR), served({ ...LIMITED, loadBalancerIPs: [NEAR] })],
      pod(WEB),
      `${NEAR}:80`,
    ],
    [
      'one of two endpoints',
      [web({ endpoints: [endpoint({ ip: FAR }), REMOTE] }), other({ clusterIP: FAR })],
      client(WEB),
      '10.180.1.1:80* 1/2, rejected; endpointRejected',
    ],
  ],
  masquerading: [
    ['remote endpoint to itself', web(), packet('10.180.1.1', WEB, { origin: 'pod' }), `${ONE}; remoteHairpin`],
    ['remote endpoint to itself in 1.35', web(), packet('10.180.1.1', WEB, { origin: 'pod' }), `${ONE}*`, V1_35],
    [
      'local endpoint to itself',
      web({ endpoints: [NEAR_ENDPOINT] }),
      packet('10.180.1.1', WEB, { origin: 'pod' }),
      `${ONE}*`,
    ],
    [
      'local endpoint of another Service',
      [web(), other({ endpoints: [NEAR_ENDPOINT] })],
      packet('10.180.1.1', WEB, { origin: 'pod' }),
      `${ONE}*`,
    ],
    [
      'local endpoint of another Service with another port',
      [web(), other({ endpoints: [endpoint({ ip: REMOTE.ip, port: 81, local: true })] })],
      packet('10.180.1.1', WEB, { origin: 'pod' }),
      `${ONE}; remoteHairpin`,
    ],
    [
      'local endpoint of another Service for UDP',
      [web(), other({ protocol: 'UDP', endpoints: [NEAR_ENDPOINT] })],
      packet('10.180.1.1', WEB, { origin: 'pod' }),
      `${ONE}; remoteHairpin`,
    ],
    [
      'local endpoint to itself at an external IP that is its own address',
      web({ ...LOCAL_POLICY, endpoints: [endpoint({ ip: EXTERNAL, local: true })] }),
      packet(EXTERNAL, `${EXTERNAL}:80`),
      `${EXTERNAL}:80; remoteHairpin`,
    ],
    [
      'local endpoint to itself at its own address, with another port',
      web({ ...LOCAL_POLICY, endpoints: [endpoint({ ip: EXTERNAL, port: 8080, local: true })] }),
      packet(EXTERNAL, `${EXTERNAL}:80`),
      `${EXTERNAL}:8080*`,
    ],
    [
      'local endpoint to itself at its own address in 1.35',
      web({ ...LOCAL_POLICY, endpoints: [endpoint({ ip: EXTERNAL, local: true })] }),
      packet(EXTERNAL, `${EXTERNAL}:80`),
      `${EXTERNAL}:80*`,
      V1_35,
    ],
    [
      'remote endpoint to itself, masqueradeAll',
      web(),
      packet('10.180.1.1', WEB, { origin: 'pod' }),
      `${ONE}*`,
      { settings: { masqueradeAll: true } },
    ],
    [
      'one of two endpoints to itself',
      web({ endpoints: [REMOTE, endpoint({ ip: '10.180.1.2' })] }),
      packet('10.180.1.1', WEB, { origin: 'pod' }),
      '10.180.1.1:80 1/2, 10.180.1.2:80 1/2; remoteHairpin',
    ],
    [
      'one of two endpoints to itself, the other is rejected',
      [web({ endpoints: [REMOTE, endpoint({ ip: FAR })] }), other({ clusterIP: FAR })],
      packet('10.180.1.1', WEB, { origin: 'pod' }),
      '10.180.1.1:80 1/2, rejected; remoteHairpin endpointRejected',
    ],
    [
      'external IP that is a cluster IP',
      [
        web({ ...LOCAL_POLICY, externalIPs: ['172.30.0.77'], endpoints: [NEAR_ENDPOINT] }),
        other({ clusterIP: '172.30.0.77', port: 81 }),
      ],
      client('172.30.0.77:80'),
      `${ONE}*; externalClusterIP`,
    ],
    [
      'external IP that is a cluster IP in 1.35',
      [
        web({ ...LOCAL_POLICY, externalIPs: ['172.30.0.77'], endpoints: [NEAR_ENDPOINT] }),
        other({ clusterIP: '172.30.0.77', port: 81 }),
      ],
      client('172.30.0.77:80'),
      ONE,
      V1_35,
    ],
    [
      'external IP that is the cluster IP of the Service, policies Local, in 1.35',
      web({ ...BOTH_LOCAL, externalIPs: ['172.30.0.41'] }),
      client(WEB),
      `${ONE}*; externalClusterIP`,
      V1_35,
    ],
    [
      'external IP that is the cluster IP of the Service, external policy Local, in 1.35',
      web({ ...BOTH_LOCAL, internalPolicyLocal: false, externalIPs: ['172.30.0.41'] }),
      client(WEB),
      ONE,
      V1_35,
    ],
    [
      'node port that is the port of a cluster IP of the node, policies Local, in 1.35',
      web({ ...BOTH_LOCAL, clusterIP: NEAR, nodePort: 80 }),
      client(`${NEAR}:80`),
      `${ONE}*`,
      V1_35,
    ],
  ],
}

const WITHOUT_PACKETS = [
  'commentTooLong',
  'conflictingVerdicts',
  'overlappingSourceRanges',
  'healthCheckNotAccepted',
  'contested',
]
describeDecisions('nftables', ROWS, WITHOUT_PACKETS)
