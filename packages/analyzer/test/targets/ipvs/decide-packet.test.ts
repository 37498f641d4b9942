import { cidr, packet } from '../../../../compiler/test/support/decisions.js'
import { ipvsSettings } from '../../../../compiler/test/support/ipvs-states.js'
import { endpoint, servicePort } from '../../../../compiler/test/support/model-builder.js'
import { type DecisionRow, describeDecisions, type Fields, LOCAL, REMOTE } from '../../support/decision-rows.js'

const web = (fields: Fields = {}) => servicePort({ endpoints: [LOCAL, REMOTE], ...fields })
const other = (fields: Fields = {}) => web({ name: 'svc2', clusterIP: '172.30.0.42', ...fields })
const pod = (to: string) => packet('10.0.0.9', to, { origin: 'pod' })
const node = (to: string) => packet('192.168.0.2', to, { origin: 'node' })
const client = (to: string) => packet('203.0.113.2', to)
const from = (source: string, to: string) => packet(source, to, { origin: 'node' })

const WEB = '172.30.0.41:80'
const EXTERNAL = '198.51.100.9'
const INSIDE = '172.30.0.77'
const LB = '1.2.3.4'
const LOCAL_POLICY = { externalIPs: [EXTERNAL], externalPolicyLocal: true }
const limitedTo = (...ranges: readonly string[]) => ({
  loadBalancerIPs: [LB, '1.2.3.5'],
  sourceRanges: ranges.map(cidr),
})
const WITH_EXTERNAL = { ...limitedTo('10.9.0.0/16'), externalIPs: [LB], loadBalancerIPs: [LB] }
const withScheduler = (scheduler: string) => ({ settings: { ipvs: ipvsSettings({ scheduler }) } })
const NO_DETECTION = { node: { localTrafficDetection: undefined } }
const SCTP = { protocol: 'SCTP' } as const
const BOTH = '10.180.0.1:80 1/2, 10.180.0.2:80 1/2'
const BOTH_MASQUERADED = '10.180.0.1:80* 1/2, 10.180.0.2:80* 1/2'

const ROWS: Readonly<Record<string, readonly DecisionRow[]>> = {
  'real servers': [
    ['cluster IP from a pod', web(), pod(WEB), BOTH],
    ['cluster IP from outside', web(), client(WEB), BOTH_MASQUERADED],
    ['policy Local from outside', web(LOCAL_POLICY), client(`${EXTERNAL}:80`), '10.180.0.1:80'],
    ['policy Local from a pod', web(LOCAL_POLICY), pod(`${EXTERNAL}:80`), '10.180.0.1:80; noShortCircuit'],
    [
      'policy Local from the node',
      web(LOCAL_POLICY),
      node(`${EXTERNAL}:80`),
      '10.180.0.1:80; noShortCircuit ownPacketsNotMasqueraded',
    ],
    [
      'policy Local from the node, only local endpoints',
      web({ ...LOCAL_POLICY, endpoints: [LOCAL] }),
      node(`${EXTERNAL}:80`),
      '10.180.0.1:80; ownPacketsNotMasqueraded',
    ],
    [
      'policy Local without local endpoints',
      web({ ...LOCAL_POLICY, endpoints: [REMOTE] }),
      client(`${EXTERNAL}:80`),
      '10.180.0.2:80; localFallsBack',
    ],
    [
      'policy Local without local endpoints in 1.23',
      web({ ...LOCAL_POLICY, endpoints: [REMOTE] }),
      client(`${EXTERNAL}:80`),
      'rejected; emptyVirtualServer',
      { version: '1.23' },
    ],
    [
      'policy Local without local endpoints in 1.23, from a pod',
      web({ ...LOCAL_POLICY, endpoints: [REMOTE] }),
      pod(`${EXTERNAL}:80`),
      'rejected; noShortCircuit',
      { version: '1.23' },
    ],
    ['no endpoints', web({ endpoints: [] }), pod(WEB), 'rejected'],
    ['scheduler sh', web(), pod(WEB), '10.180.0.1:80, 10.180.0.2:80; schedulerChooses', withScheduler('sh')],
    ['scheduler wrr', web(), pod(WEB), BOTH, withScheduler('wrr')],
    ['scheduler sh, one endpoint', web({ endpoints: [REMOTE] }), pod(WEB), '10.180.0.2:80', withScheduler('sh')],
    ['scheduler sh, no endpoints', web({ endpoints: [] }), pod(WEB), 'rejected', withScheduler('sh')],
    [
      'endpoint that is a cluster IP',
      [web({ endpoints: [endpoint({ ip: INSIDE })] }), other({ clusterIP: INSIDE })],
      client(WEB),
      `${INSIDE}:80; boundEndpoint`,
    ],
    [
      'endpoint that is a cluster IP, other port, from the node',
      [web({ endpoints: [REMOTE, endpoint({ ip: INSIDE, port: 81 })] }), other({ clusterIP: INSIDE })],
      node(WEB),
      '10.180.0.2:80* 1/2, rejected; boundEndpoint',
    ],
    [
      'endpoint that is a node address',
      web({ endpoints: [endpoint({ ip: '192.168.0.2' })], externalIPs: ['192.168.0.2'] }),
      client(WEB),
      '192.168.0.2:80',
    ],
  ],
  'node ports': [
    ['served', web({ nodePort: 3001 }), client('192.168.1.2:3001'), BOTH_MASQUERADED],
    ['loopback address', web({ nodePort: 3001 }), from('127.0.0.1', '127.0.0.1:3001'), 'to the node'],
    ['address of the Service', web({ nodePort: 3001 }), client('172.30.0.41:3001'), 'rejected; otherPortsRejected'],
    ['remote address', web({ nodePort: 3001 }), client('203.0.113.9:3001'), 'unmatched'],
    ['other protocol', web({ nodePort: 3001, protocol: 'UDP' }), client('192.168.1.2:3001'), 'to the node'],
    [
      'address of the node that is an external IP in 1.27',
      web({ nodePort: 3001, externalIPs: ['192.168.1.2'] }),
      client('192.168.1.2:3001'),
      'rejected; nodePortAddresses',
      { version: '1.27' },
    ],
    [
      'SCTP in 1.22, policy Local',
      web({ nodePort: 3001, externalPolicyLocal: true, ...SCTP }),
      { ...client('192.168.0.2:3001'), ...SCTP },
      '10.180.0.1:80*; sctpMasquerading',
      { version: '1.22' },
    ],
    [
      'SCTP in 1.23, policy Local',
      web({ nodePort: 3001, externalPolicyLocal: true, ...SCTP }),
      { ...client('192.168.0.2:3001'), ...SCTP },
      '10.180.0.1:80',
      { version: '1.23' },
    ],
    [
      'SCTP in 1.15',
      web({ nodePort: 3001, ...SCTP }),
      { ...client('192.168.0.2:3001'), ...SCTP },
      '10.180.0.1:80 1/2, 10.180.0.2:80 1/2; sctpMasquerading',
      { version: '1.15' },
    ],
  ],
  'source ranges': [
    ['allowed client', web(limitedTo('10.0.0.0/8')), pod(`${LB}:80`), BOTH_MASQUERADED],
    ['other client', web(limitedTo('10.0.0.0/8')), client(`${LB}:80`), 'dropped'],
    [
      'other client in 1.24',
      web(limitedTo('10.0.0.0/8')),
      client(`${LB}:80`),
      `${BOTH_MASQUERADED}; markedToDrop`,
      { version: '1.24' },
    ],
    ['range of every client', web(limitedTo('0.0.0.0/0')), pod(`${LB}:80`), 'dropped; zeroSourceRange'],
    [
      'one of two ranges is of every client',
      web(limitedTo('0.0.0.0/0', '10.0.0.0/8')),
      pod(`${LB}:80`),
      BOTH_MASQUERADED,
    ],
    ['from the node', web(limitedTo('10.0.0.0/8')), node(`${LB}:80`), `${BOTH_MASQUERADED}; ownPacketsNotLimited`],
    [
      'from the node, to an endpoint that is an external IP',
      [web({ ...limitedTo('10.0.0.0/8'), endpoints: [endpoint({ ip: EXTERNAL, port: 81 })] }), other(LOCAL_POLICY)],
      node(`${LB}:80`),
      'rejected; ownPacketsNotLimited boundEndpoint',
    ],
    ['from the node, which is allowed', web(limitedTo('192.168.0.0/24')), node(`${LB}:80`), BOTH_MASQUERADED],
    [
      'from another load-balancer IP',
      web(limitedTo('192.168.0.0/24')),
      packet('1.2.3.5', `${LB}:80`),
      'dropped; otherLoadBalancerIPs',
    ],
    ['from the load-balancer IP itself', web(limitedTo('192.168.0.0/24')), from(LB, `${LB}:80`), BOTH_MASQUERADED],
    [
      'from the load-balancer IP itself, ranges without the node',
      web(limitedTo('1.2.3.0/24')),
      from(LB, `${LB}:80`),
      'dropped; fromLoadBalancerIP',
    ],
    ['from the load-balancer IP itself, not allowed', web(limitedTo('10.0.0.0/8')), from(LB, `${LB}:80`), 'dropped'],
    ['external IP with ranges, which the load-balancer IP replaces', web(WITH_EXTERNAL), pod(`${LB}:80`), 'dropped'],
    [
      'external IP with ranges of another Service',
      [web({ externalIPs: [LB] }), other(limitedTo('10.9.0.0/16'))],
      pod(`${LB}:80`),
      'dropped; guardedAddress',
    ],
    [
      'external IP with ranges of another Service for another port',
      [web({ externalIPs: [LB] }), other({ ...limitedTo('10.9.0.0/16'), port: 81 })],
      pod(`${LB}:80`),
      BOTH_MASQUERADED,
    ],
    [
      'external IP with ranges of another Service for UDP',
      [web({ externalIPs: [LB] }), other({ ...limitedTo('10.9.0.0/16'), protocol: 'UDP' })],
      pod(`${LB}:80`),
      BOTH_MASQUERADED,
    ],
    [
      'no endpoints, not allowed',
      web({ ...limitedTo('10.9.0.0/16'), endpoints: [] }),
      pod(`${LB}:80`),
      'dropped; emptyVirtualServer',
    ],
    [
      'ranges of another Service that contain the source',
      [web(limitedTo('10.0.0.0/8')), other(limitedTo('203.0.113.0/24'))],
      client(`${LB}:80`),
      `${BOTH_MASQUERADED}; sharedEntries`,
    ],
    [
      'ranges of another Service that do not contain the source',
      [web(limitedTo('10.0.0.0/8')), other(limitedTo('203.0.114.0/24'))],
      client(`${LB}:80`),
      'dropped',
    ],
    [
      'external IP with policy Local in 1.29',
      web(LOCAL_POLICY),
      client(`${EXTERNAL}:80`),
      'rejected; externalIPRejected',
      { version: '1.29' },
    ],
    [
      'external IP with policy Local in 1.30',
      web(LOCAL_POLICY),
      client(`${EXTERNAL}:80`),
      '10.180.0.1:80',
      { version: '1.30' },
    ],
  ],
  'bound addresses': [
    ['other port', web(), client('172.30.0.41:81'), 'rejected; otherPortsRejected'],
    ['other port in 1.25', web(), client('172.30.0.41:81'), 'to the node; otherPortsReachNode', { version: '1.25' }],
    ['other port in 1.26', web(), client('172.30.0.41:81'), 'rejected; otherPortsRejected', { version: '1.26' }],
    [
      'health check',
      web({ healthCheckNodePort: 30500 }),
      client('172.30.0.41:30500'),
      'to the node; otherPortsRejected',
    ],
    ['health check at a node address', web({ healthCheckNodePort: 30500 }), client('192.168.0.2:30500'), 'to the node'],
    ['unused address', web(), client('203.0.113.9:81'), 'unmatched'],
    [
      'other port of an external IP of the node',
      web({ externalIPs: ['192.168.0.2'] }),
      client('192.168.0.2:81'),
      'to the node',
    ],
    [
      'health check at a node address that is an external IP in 1.27',
      web({ ...LOCAL_POLICY, externalIPs: ['192.168.0.2'], healthCheckNodePort: 30000 }),
      client('192.168.0.2:30000'),
      'rejected; healthChecksRejected',
      { version: '1.27' },
    ],
  ],
  masquerading: [
    ['loopback source', web(), from('127.0.0.9', WEB), `${BOTH}; loopbackNotMasqueraded`],
    ['loopback source in 1.25', web(), from('127.0.0.9', WEB), BOTH_MASQUERADED, { version: '1.25' }],
    ['own source', web(), node(WEB), BOTH_MASQUERADED],
    ['remote endpoint to itself', web(), packet('10.180.0.2', WEB, { origin: 'pod' }), `${BOTH}; remoteHairpin`],
    [
      'local endpoint to itself',
      web(),
      packet('10.180.0.1', WEB, { origin: 'pod' }),
      '10.180.0.1:80* 1/2, 10.180.0.2:80 1/2',
    ],
    ['directly to itself', web(), packet('10.180.0.1', '10.180.0.1:80'), 'unmatched*; directHairpin'],
    ['directly to itself, other port', web(), packet('10.180.0.1', '10.180.0.1:81'), 'unmatched'],
    ['directly to itself, remote', web(), packet('10.180.0.2', '10.180.0.2:80'), 'unmatched'],
    [
      'from a cluster IP without detection',
      web(),
      packet('172.30.0.41', WEB),
      `${BOTH_MASQUERADED}; fromClusterIP`,
      NO_DETECTION,
    ],
    ['from a cluster IP', web(), packet('10.0.0.77', WEB), BOTH],
    ['from no cluster IP without detection', web(), client(WEB), BOTH, NO_DETECTION],
    [
      'from a cluster IP to no Service without detection',
      web(),
      packet('172.30.0.41', '203.0.113.9:80'),
      'unmatched*; fromClusterIP',
      NO_DETECTION,
    ],
    [
      'cluster IP that is an external IP',
      [web(), other({ externalIPs: ['172.30.0.41'] })],
      pod(WEB),
      `${BOTH_MASQUERADED}; externalClusterIP`,
    ],
    [
      'cluster IP that is a load-balancer IP',
      [web(), other({ loadBalancerIPs: ['172.30.0.41'] })],
      pod(WEB),
      `${BOTH_MASQUERADED}; externalClusterIP`,
    ],
    [
      'cluster IP that is an external IP of the Service with policy Local',
      web({ ...LOCAL_POLICY, externalIPs: ['172.30.0.41'], endpoints: [LOCAL] }),
      client(WEB),
      '10.180.0.1:80*; externalClusterIP',
    ],
    [
      'cluster IP that is a node port of the Service with policy Local',
      web({ ...LOCAL_POLICY, clusterIP: '192.168.0.2', nodePort: 80 }),
      client('192.168.0.2:80'),
      '10.180.0.1:80*; sharedEntries',
      { version: '1.22' },
    ],
    ['cluster IP of two Services', [web(), other({ clusterIP: '172.30.0.41' })], pod(WEB), BOTH],
    [
      'cluster IP that is an external IP for another port',
      [web(), other({ externalIPs: ['172.30.0.41'], port: 81 })],
      pod(WEB),
      BOTH,
    ],
    [
      'external IP of two Services, the first with policy Local',
      [web({ ...LOCAL_POLICY, endpoints: [LOCAL] }), other({ externalIPs: [EXTERNAL] })],
      pod(`${EXTERNAL}:80`),
      '10.180.0.1:80*; sharedEntries',
    ],
    [
      'external IP of two Services with the same policy',
      [web({ externalIPs: [EXTERNAL] }), other({ externalIPs: [EXTERNAL] })],
      pod(`${EXTERNAL}:80`),
      BOTH_MASQUERADED,
    ],
  ],
}

describeDecisions('ipvs', ROWS, ['healthCheckSkipped'])
