import { describe, expect, it } from 'vitest'
import type { ServicePort } from '../../../../compiler/src/model/services/service-port.js'
import { type Configuration, cidr, packet, planOf } from '../../../../compiler/test/support/decisions.js'
import { endpoint, servicePort } from '../../../../compiler/test/support/model-builder.js'
import { explained, tracedPacket } from '../../../../compiler/test/support/traced.js'
import { EXPLANATIONS } from '../../../src/targets/iptables/explanations.js'

// The node has 192.168.0.2 and 192.168.1.2.

const REMOTE = endpoint({ ip: '10.180.0.2' })
const EXTERNAL = '198.51.100.9'

const empty = (fields: Parameters<typeof servicePort>[0] = {}) => servicePort(fields)
const served = (fields: Parameters<typeof servicePort>[0] = {}) => servicePort({ endpoints: [REMOTE], ...fields })

type Row = [
  what: string,
  services: ServicePort | readonly ServicePort[],
  sent: ReturnType<typeof packet>,
  end: Parameters<typeof tracedPacket>[2][number],
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

const ROWS: Readonly<Record<string, readonly Row[]>> = {
  ownPacketsNotRefused: [
    ['an external IP', empty({ externalIPs: [EXTERNAL] }), toExternal, 'unmatched', true],
    ['an external IP that refuses', empty({ externalIPs: [EXTERNAL] }), toExternal, 'rejected', false],
    ['a load-balancer IP', empty({ loadBalancerIPs: [EXTERNAL] }), toExternal, 'unmatched', true],
    ['a load-balancer IP with source ranges, without endpoints', empty(LIMITED), toExternal, 'unmatched', true],
    ['a load-balancer IP with source ranges', served(LIMITED), toExternal, 'unmatched', false],
    ['an external IP with endpoints', served({ externalIPs: [EXTERNAL] }), toExternal, 'unmatched', false],
    ['a cluster IP', empty(), packet('192.168.0.2', '172.30.0.41:80', fromNode), 'unmatched', false],
    [
      'an external IP that the node has',
      empty({ externalIPs: ['192.168.1.2'] }),
      packet('192.168.0.2', '192.168.1.2:80', fromNode),
      'unmatched',
      false,
    ],
    [
      'packets of others',
      empty({ externalIPs: [EXTERNAL] }),
      packet('203.0.113.2', `${EXTERNAL}:80`),
      'unmatched',
      false,
    ],
    ['what is for nobody', empty(), toExternal, 'unmatched', false],
  ],
  nodePortsRefusedEverywhere: [
    [
      'a loopback address',
      empty({ nodePort: 3001 }),
      packet('127.0.0.1', '127.0.0.1:3001', fromNode),
      'rejected',
      true,
      notOnLoopback,
    ],
    [
      'an address without node ports',
      empty({ nodePort: 3001 }),
      packet('203.0.113.2', '192.168.0.2:3001'),
      'rejected',
      true,
      onOneAddress,
    ],
    [
      'where no endpoint is on the node',
      served({ nodePort: 3001, externalPolicyLocal: true }),
      packet('203.0.113.2', '192.168.0.2:3001'),
      'dropped',
      true,
      onOneAddress,
    ],
    [
      'where another Service refuses the same port',
      [served({ nodePort: 3001 }), empty({ name: 'svc2', nodePort: 3001 })],
      packet('203.0.113.2', '192.168.0.2:3001'),
      'rejected',
      true,
      onOneAddress,
    ],
    [
      'refused in another way',
      empty({ nodePort: 3001 }),
      packet('203.0.113.2', '192.168.0.2:3001'),
      'dropped',
      false,
      onOneAddress,
    ],
    [
      'a port with endpoints',
      served({ nodePort: 3001 }),
      packet('203.0.113.2', '192.168.0.2:3001'),
      'rejected',
      false,
      onOneAddress,
    ],
    [
      'another port',
      empty({ nodePort: 3001 }),
      packet('203.0.113.2', '192.168.0.2:3002'),
      'rejected',
      false,
      onOneAddress,
    ],
    [
      'the port of an external IP',
      empty({ externalIPs: [EXTERNAL] }),
      packet('203.0.113.2', '192.168.0.2:80'),
      'rejected',
      false,
    ],
    [
      'another protocol',
      empty({ nodePort: 3001 }),
      packet('203.0.113.2', '192.168.0.2:3001', { protocol: 'UDP' }),
      'rejected',
      false,
      onOneAddress,
    ],
    [
      'an address elsewhere',
      empty({ nodePort: 3001 }),
      packet('203.0.113.2', '203.0.113.9:3001'),
      'rejected',
      false,
      onOneAddress,
    ],
    [
      'an address with node ports',
      empty({ nodePort: 3001 }),
      packet('203.0.113.2', '192.168.1.2:3001'),
      'rejected',
      false,
      onOneAddress,
    ],
  ],
  endpointRefused: [
    [
      'an external IP of another Service',
      [served(), empty({ name: 'svc2', clusterIP: '172.30.0.42', externalIPs: [REMOTE.ip] })],
      packet('10.0.0.9', '172.30.0.41:80', { origin: 'pod' }),
      'rejected',
      true,
    ],
    ['an address of nobody', served(), packet('10.0.0.9', '172.30.0.41:80', { origin: 'pod' }), 'rejected', false],
  ],
  loopbackGuarded: [
    ['from another address', empty(), packet('192.168.0.2', '127.0.0.1:80', fromNode), 'dropped', true],
    [
      'from another address, to a refusal',
      empty({ nodePort: 3001 }),
      packet('192.168.0.2', '127.0.0.1:3001', fromNode),
      'dropped',
      true,
    ],
    ['that goes on', empty(), packet('192.168.0.2', '127.0.0.1:80', fromNode), 'unmatched', false],
    ['from a loopback address', empty(), packet('127.0.0.9', '127.0.0.1:80', fromNode), 'dropped', false],
    ['to another address', empty(), packet('192.168.0.2', '192.168.1.2:80', fromNode), 'dropped', false],
    ['of IPv6', empty(), { ...packet('fd00::2', ':80', fromNode), destination: '::1' }, 'dropped', false],
    ['to a node port', served({ nodePort: 3001 }), packet('192.168.0.2', '127.0.0.1:3001', fromNode), 'dropped', false],
  ],
}

it('every limitation has test rows', () => {
  expect(Object.keys(ROWS)).toEqual(Object.keys(EXPLANATIONS))
})

describe.each(Object.entries(ROWS))('%s', (code, rows) => {
  it.each(rows)('%s', (_, services, sent, end, isExplained, configuration) => {
    const plan = planOf([services].flat(), configuration)
    const aspects = explained(EXPLANATIONS[code], tracedPacket(plan, sent, [end]))
    expect(aspects).toEqual(isExplained ? ['where', 'masquerade'] : [])
  })
})
