import { cidr, packet } from '../../../../compiler/test/support/decisions.js'
import { endpoint, servicePort } from '../../../../compiler/test/support/model-builder.js'
import { type DecisionRow, describeDecisions, type Fields, type RowContext } from '../../support/decision-rows.js'

const REMOTE = endpoint({ ip: '10.180.0.1' })
const NEAR = '192.168.0.2'
const FAR = '10.180.0.1'
const EXTERNAL = '198.51.100.9'
const WEB = '172.30.0.41:80'
const ONE = '10.180.0.1:80'

const web = (fields: Fields = {}) => servicePort({ endpoints: [REMOTE], ...fields })
const at = (ip: string) => web({ endpoints: [endpoint({ ip })] })
const other = (fields: Fields = {}) => servicePort({ name: 'svc2', clusterIP: '172.30.0.42', ...fields })
const served = (fields: Fields) => other({ endpoints: [endpoint({ ip: '10.180.0.9', port: 8080 })], ...fields })
const client = (to: string) => packet('203.0.113.2', to)
const pod = (to: string) => packet('10.0.0.9', to, { origin: 'pod' })
const node = (to: string) => packet(NEAR, to, { origin: 'node' })

const version = (text: string): RowContext => ({ version: text })
const undetected = (text: string): RowContext => ({ version: text, node: { localTrafficDetection: undefined } })
const ONE_ADDRESS: RowContext = {
  node: { nodePorts: { all: false, addresses: ['192.168.1.2'], containsLoopback: false } },
}
const NO_ADDRESS = { node: { nodePorts: { all: false, addresses: [], containsLoopback: false } } }
const LIMITED = { loadBalancerIPs: [EXTERNAL], sourceRanges: [cidr('198.51.100.0/24')] }
const LOCAL_LB = { loadBalancerIPs: [EXTERNAL], externalPolicyLocal: true }
const TO_EXTERNAL = `${EXTERNAL}:80`

const ROWS: Readonly<Record<string, readonly DecisionRow[]>> = {
  'marked packets': [
    ['no local endpoint in 1.24', web(LOCAL_LB), client(TO_EXTERNAL), 'unmatched; markedToDrop', version('1.24')],
    ['no local endpoint in 1.25', web(LOCAL_LB), client(TO_EXTERNAL), 'dropped', version('1.25')],
    ['not allowed in 1.23', web(LIMITED), client(TO_EXTERNAL), 'unmatched*; markedToDrop', version('1.23')],
    ['not allowed in 1.24', web(LIMITED), client(TO_EXTERNAL), 'unmatched; markedToDrop', version('1.24')],
    [
      'not allowed with policy Local in 1.23',
      web({ ...LIMITED, externalPolicyLocal: true }),
      client(TO_EXTERNAL),
      'unmatched; markedToDrop',
      version('1.23'),
    ],
    ['not allowed in 1.25', web(LIMITED), client(TO_EXTERNAL), 'dropped', version('1.25')],
    ['allowed in 1.23', web(LIMITED), packet('198.51.100.7', TO_EXTERNAL), `${ONE}*`, version('1.23')],
    [
      'cluster IP without a local endpoint in 1.24',
      web({ internalPolicyLocal: true }),
      client(WEB),
      'unmatched*; markedToDrop',
      version('1.24'),
    ],
    [
      'cluster IP without a local endpoint in 1.24, from a pod',
      web({ internalPolicyLocal: true }),
      pod(WEB),
      'unmatched; markedToDrop',
      version('1.24'),
    ],
    [
      'loopback source to a node port with policy Local in 1.23',
      web({ nodePort: 3001, externalPolicyLocal: true, endpoints: [{ ...REMOTE, local: true }] }),
      packet('127.0.0.1', '127.0.0.1:3001', { origin: 'node' }),
      `${ONE}*`,
      { ...version('1.23'), onlyIPv4: true },
    ],
    [
      'the losing Service of an address marks in 1.21',
      [web({ name: 'svc0', ...LIMITED }), served({ ...LOCAL_LB, endpoints: [{ ...REMOTE, local: true }] })],
      client(TO_EXTERNAL),
      `${ONE}*; contested markedToDrop`,
      version('1.21'),
    ],
  ],
  'external IPs and bridges': [
    [
      'from the node in 1.20',
      web({ externalIPs: [EXTERNAL] }),
      node(TO_EXTERNAL),
      'unmatched*; bridgedExternalIPs',
      version('1.20'),
    ],
    ['from the node in 1.21', web({ externalIPs: [EXTERNAL] }), node(TO_EXTERNAL), `${ONE}*`, version('1.21')],
    [
      'from the node, policy Local in 1.19',
      web({ externalIPs: [EXTERNAL], externalPolicyLocal: true }),
      node(TO_EXTERNAL),
      'unmatched; bridgedExternalIPs',
      version('1.19'),
    ],
    [
      'from the node, foreign source in 1.20',
      web({ externalIPs: [EXTERNAL] }),
      packet('10.0.0.9', TO_EXTERNAL, { origin: 'node' }),
      `${ONE}*`,
      version('1.20'),
    ],
    [
      'from a pod, policy Local in 1.19',
      web({ externalIPs: [EXTERNAL], externalPolicyLocal: true }),
      pod(TO_EXTERNAL),
      `${ONE}, unmatched; bridgedExternalIPs`,
      version('1.19'),
    ],
    [
      'from a pod in 1.14',
      web({ externalIPs: [EXTERNAL] }),
      pod(TO_EXTERNAL),
      `${ONE}*, unmatched*; bridgedExternalIPs`,
      version('1.14'),
    ],
    ['from outside in 1.20', web({ externalIPs: [EXTERNAL] }), client(TO_EXTERNAL), `${ONE}*`, version('1.20')],
    [
      'address of the node in 1.20',
      web({ externalIPs: ['192.168.1.2'] }),
      node('192.168.1.2:80'),
      `${ONE}*`,
      version('1.20'),
    ],
    ['load-balancer IP in 1.20', web({ loadBalancerIPs: [EXTERNAL] }), node(TO_EXTERNAL), `${ONE}*`, version('1.20')],
    [
      'external IP of two Services in 1.20, from a pod',
      [web({ externalIPs: [EXTERNAL] }), served({ externalIPs: [EXTERNAL] })],
      pod(TO_EXTERNAL),
      `${ONE}*, 10.180.0.9:8080*, unmatched*; bridgedExternalIPs`,
      version('1.20'),
    ],
    [
      'the Service of a load-balancer IP after a bypassed external IP in 1.20',
      [web({ externalIPs: [EXTERNAL] }), served(LOCAL_LB)],
      node(TO_EXTERNAL),
      '10.180.0.9:8080*; bridgedExternalIPs',
      version('1.20'),
    ],
  ],
  'repeated endpoints': [
    [
      'from a pod in 1.19',
      web({ externalIPs: [EXTERNAL], endpoints: [REMOTE, REMOTE, endpoint({ ip: '10.180.0.2' })] }),
      pod(TO_EXTERNAL),
      '10.180.0.1:80* 1/3, 10.180.0.2:80* 1/3, unmatched*; bridgedExternalIPs',
      version('1.19'),
    ],
  ],
  'no endpoints': [
    ['cluster IP', other(), client('172.30.0.42:80'), 'rejected'],
    ['external IP', other({ externalIPs: [EXTERNAL] }), client(TO_EXTERNAL), 'rejected'],
    [
      'external IP in 1.18',
      other({ externalIPs: [EXTERNAL] }),
      client(TO_EXTERNAL),
      'unmatched; forwardedPacketsNotRejected',
      version('1.18'),
    ],
    [
      'external IP of the node in 1.18',
      other({ externalIPs: ['192.168.1.2'] }),
      client('192.168.1.2:80'),
      'rejected',
      version('1.18'),
    ],
    [
      'load-balancer IP in 1.18',
      other({ loadBalancerIPs: [EXTERNAL] }),
      client(TO_EXTERNAL),
      'rejected',
      version('1.18'),
    ],
    ['external IP in 1.19', other({ externalIPs: [EXTERNAL] }), client(TO_EXTERNAL), 'rejected', version('1.19')],
    [
      'external IP, from the node',
      other({ externalIPs: [EXTERNAL] }),
      node(TO_EXTERNAL),
      'unmatched; ownPacketsNotRejected',
    ],
    [
      'load-balancer IP, from the node',
      other({ loadBalancerIPs: [EXTERNAL] }),
      node(TO_EXTERNAL),
      'unmatched; ownPacketsNotRejected',
    ],
    [
      'load-balancer IP, from the node in 1.18',
      other({ loadBalancerIPs: [EXTERNAL] }),
      node(TO_EXTERNAL),
      'rejected',
      version('1.18'),
    ],
    ['source ranges, from the node', other(LIMITED), node(TO_EXTERNAL), 'unmatched; ownPacketsNotRejected'],
    ['source ranges and endpoints, from the node', web(LIMITED), node(TO_EXTERNAL), 'dropped'],
    ['cluster IP, from the node', other(), node('172.30.0.42:80'), 'rejected'],
    [
      'external IP of the node, from the node',
      other({ externalIPs: ['192.168.1.2'] }),
      node('192.168.1.2:80'),
      'rejected',
    ],
    [
      'the first Service of an address',
      [other({ name: 'svc0', externalIPs: [EXTERNAL] }), web({ externalIPs: [EXTERNAL] })],
      client(TO_EXTERNAL),
      `${ONE}*; contested`,
    ],
  ],
  'node ports': [
    ['no endpoints', other({ nodePort: 3001 }), client('192.168.1.2:3001'), 'rejected'],
    [
      'no endpoints, loopback address that serves none',
      other({ nodePort: 3001 }),
      packet('127.0.0.1', '127.0.0.1:3001', { origin: 'node' }),
      'rejected; nodePortsRejectedEverywhere',
      { node: ONE_ADDRESS.node ?? {}, settings: { localhostNodePorts: false }, onlyIPv4: true },
    ],
    [
      'no endpoints, address that serves none',
      other({ nodePort: 3001 }),
      client(`${NEAR}:3001`),
      'rejected; nodePortsRejectedEverywhere',
      ONE_ADDRESS,
    ],
    [
      'no local endpoint, address that serves none',
      web({ nodePort: 3001, externalPolicyLocal: true }),
      client(`${NEAR}:3001`),
      'dropped; nodePortsRejectedEverywhere',
      ONE_ADDRESS,
    ],
    [
      'no local endpoint, address that serves none in 1.24',
      web({ nodePort: 3001, externalPolicyLocal: true }),
      client(`${NEAR}:3001`),
      'to the node',
      { ...ONE_ADDRESS, ...version('1.24') },
    ],
    [
      'another Service rejects, address that serves none',
      [web({ nodePort: 3001 }), other({ nodePort: 3001 })],
      client(`${NEAR}:3001`),
      'rejected; nodePortsRejectedEverywhere',
      ONE_ADDRESS,
    ],
    [
      'endpoints, address that serves none',
      web({ nodePort: 3001 }),
      client(`${NEAR}:3001`),
      'to the node',
      ONE_ADDRESS,
    ],
    [
      'no endpoints, no address serves any in 1.26',
      other({ nodePort: 3001 }),
      client(`${NEAR}:3001`),
      'to the node',
      { ...NO_ADDRESS, ...version('1.26') },
    ],
    [
      'no endpoints, no address serves any in 1.27',
      other({ nodePort: 3001 }),
      client(`${NEAR}:3001`),
      'rejected; nodePortsRejectedEverywhere',
      { ...NO_ADDRESS, ...version('1.27') },
    ],
    ['other port', other({ nodePort: 3001 }), client(`${NEAR}:3002`), 'to the node', ONE_ADDRESS],
    ['other protocol', other({ nodePort: 3001, protocol: 'UDP' }), client(`${NEAR}:3001`), 'to the node', ONE_ADDRESS],
    ['remote address', other({ nodePort: 3001 }), client('203.0.113.9:3001'), 'unmatched'],
    ...(['1.18', '1.19', '1.22', '1.23'] as const).map(
      (text): DecisionRow => [
        `external IP of a Service with an unserved node port in ${text}`,
        web({ nodePort: 3001, externalIPs: [EXTERNAL] }),
        client(TO_EXTERNAL),
        text === '1.19' || text === '1.22' ? 'unmatched*; endsAtUnservedNodePort' : `${ONE}*`,
        { ...NO_ADDRESS, ...version(text) },
      ],
    ),
    [
      'load-balancer IP with policy Local of a Service with an unserved node port in 1.22',
      web({ nodePort: 3001, ...LOCAL_LB, endpoints: [{ ...REMOTE, local: true }] }),
      client(TO_EXTERNAL),
      'unmatched',
      { ...NO_ADDRESS, ...version('1.22') },
    ],
  ],
  'rejected endpoints, from a pod': [
    ['cluster IP', [at(FAR), other({ clusterIP: FAR })], pod(WEB), 'rejected; endpointRejected'],
    ['other port of a cluster IP', [at(FAR), other({ clusterIP: FAR, port: 81 })], pod(WEB), ONE],
    ['cluster IP over UDP', [at(FAR), other({ clusterIP: FAR, protocol: 'UDP' })], pod(WEB), ONE],
    ['cluster IP with endpoints', [at(FAR), served({ clusterIP: FAR })], pod(WEB), ONE],
    [
      'cluster IP without local endpoints',
      [at(FAR), served({ clusterIP: FAR, internalPolicyLocal: true })],
      pod(WEB),
      'dropped; endpointRejected',
    ],
    ['external IP', [at(FAR), other({ externalIPs: [FAR] })], pod(WEB), 'rejected; endpointRejected'],
    [
      'external IP without local endpoints',
      [at(FAR), served({ externalIPs: [FAR], externalPolicyLocal: true })],
      pod(WEB),
      'dropped; endpointRejected',
    ],
    ['load-balancer IP', [at(FAR), other({ loadBalancerIPs: [FAR] })], pod(WEB), 'rejected; endpointRejected'],
    ['source ranges', [at(FAR), served({ ...LIMITED, loadBalancerIPs: [FAR] })], pod(WEB), 'dropped; endpointRejected'],
    [
      'source ranges without endpoints',
      [at(FAR), other({ ...LIMITED, loadBalancerIPs: [FAR] })],
      pod(WEB),
      'rejected; endpointRejected',
    ],
    ['node port of another node', [at(FAR), other({ nodePort: 80 })], pod(WEB), ONE],
    ['node port', [at(NEAR), other({ nodePort: 80 })], pod(WEB), 'rejected; endpointRejected'],
    ['other node port', [at(NEAR), other({ nodePort: 81 })], pod(WEB), `${NEAR}:80`],
    ['node port over UDP', [at(NEAR), other({ nodePort: 80, protocol: 'UDP' })], pod(WEB), `${NEAR}:80`],
    ['health-check node port', [at(NEAR), other({ nodePort: 80, healthCheckNodePort: 80 })], pod(WEB), `${NEAR}:80`],
    [
      'node port next to a health-check node port',
      [at(NEAR), other({ nodePort: 80, healthCheckNodePort: 81 })],
      pod(WEB),
      'rejected; endpointRejected',
    ],
    ['external IP of the node', [at(NEAR), other({ externalIPs: [NEAR] })], pod(WEB), 'rejected; endpointRejected'],
    ['cluster IP of the node', [at(NEAR), other({ clusterIP: NEAR })], pod(WEB), `${NEAR}:80`],
    [
      'cluster IP of the node in 1.18',
      [at(NEAR), other({ clusterIP: NEAR })],
      pod(WEB),
      'rejected; endpointRejected',
      version('1.18'),
    ],
    ['external IP in 1.18', [at(FAR), other({ externalIPs: [FAR] })], pod(WEB), ONE, version('1.18')],
    ['unused address', [at(FAR), other()], pod(WEB), ONE],
    [
      'two of three endpoints',
      [
        web({ endpoints: [REMOTE, endpoint({ ip: '10.180.0.2' }), endpoint({ ip: '10.180.0.3' })] }),
        other({ externalIPs: [FAR, '10.180.0.3'] }),
      ],
      pod(WEB),
      '10.180.0.2:80 1/3, rejected; endpointRejected',
    ],
  ],
  'rejected endpoints, from other clients': [
    ['cluster IP, masqueraded', [at(FAR), other({ clusterIP: FAR })], client(WEB), `${ONE}*`],
    ['cluster IP, from the node', [at(FAR), other({ clusterIP: FAR })], node(WEB), 'rejected; endpointRejected'],
    ['external IP, masqueraded', [at(FAR), other({ externalIPs: [FAR] })], client(WEB), `${ONE}*`],
    ['external IP, from the node', [at(FAR), other({ externalIPs: [FAR] })], node(WEB), `${ONE}*`],
    [
      'source ranges, masqueraded',
      [at(FAR), served({ ...LIMITED, loadBalancerIPs: [FAR] })],
      client(WEB),
      'dropped; endpointRejected',
    ],
    [
      'source ranges, from the node',
      [at(FAR), served({ ...LIMITED, loadBalancerIPs: [FAR] })],
      node(WEB),
      'dropped; endpointRejected',
    ],
    ['node port, from outside', [at(NEAR), other({ nodePort: 80 })], client(WEB), 'rejected; endpointRejected'],
    ['node port, from the node', [at(NEAR), other({ nodePort: 80 })], node(WEB), 'rejected; endpointRejected'],
    [
      'cluster IP of the node, from the node',
      [at(NEAR), other({ clusterIP: NEAR })],
      node(WEB),
      'rejected; endpointRejected',
    ],
  ],
  masquerading: [
    [
      'cluster IP that is an external IP in 1.22',
      web({ externalIPs: ['172.30.0.41'] }),
      pod(WEB),
      `${ONE}*; externalClusterIP`,
      undetected('1.22'),
    ],
    [
      'cluster IP that is an external IP in 1.24',
      web({ externalIPs: ['172.30.0.41'] }),
      pod(WEB),
      ONE,
      undetected('1.24'),
    ],
    [
      'port of the cluster IP that is a node port in 1.23',
      web({ port: 3001, nodePort: 3001 }),
      pod('172.30.0.41:3001'),
      `${ONE}*; externalClusterIP`,
      version('1.23'),
    ],
    [
      'cluster IP that is an external IP of another Service in 1.22',
      [web(), served({ externalIPs: ['172.30.0.41'] })],
      pod(WEB),
      ONE,
      undetected('1.22'),
    ],
    [
      'cluster IP that is an external IP with policy Local in 1.22',
      web({ externalIPs: ['172.30.0.41'], externalPolicyLocal: true }),
      pod(WEB),
      ONE,
      undetected('1.22'),
    ],
    [
      'cluster IP that is a load-balancer IP in 1.22',
      web({ loadBalancerIPs: ['172.30.0.41'] }),
      pod(WEB),
      ONE,
      undetected('1.22'),
    ],
    ['endpoint to itself', web(), packet(FAR, WEB, { origin: 'pod' }), `${ONE}*`],
    ['endpoint with the address of the node', at(NEAR), client(WEB), `${NEAR}:80`],
  ],
  'loopback addresses': [
    ['from another address', other(), node('127.0.0.1:80'), 'dropped; loopbackGuarded', { onlyIPv4: true }],
    [
      'node port without endpoints',
      other({ nodePort: 3001 }),
      node('127.0.0.1:3001'),
      'dropped; loopbackGuarded',
      { onlyIPv4: true },
    ],
    ['node port', web({ nodePort: 3001 }), node('127.0.0.1:3001'), `${ONE}*`, { onlyIPv4: true }],
    ['in 1.26', other(), node('127.0.0.1:80'), 'to the node', { ...version('1.26'), onlyIPv4: true }],
    [
      'from a loopback address',
      other(),
      packet('127.0.0.9', '127.0.0.1:80', { origin: 'node' }),
      'to the node',
      { onlyIPv4: true },
    ],
  ],
}

const WITHOUT_PACKETS = ['firstLoadBalancerIP', 'externalIPsIgnorePolicy', 'ownPacketsKeptLocal', 'contested']
describeDecisions('iptables', ROWS, WITHOUT_PACKETS)
