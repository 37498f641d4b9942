import { expect, it } from 'vitest'
import { decide } from '../../../../compiler/src/plan/decide.js'
import { cidr, packet, planOf } from '../../../../compiler/test/support/decisions.js'
import { endpoint, servicePort } from '../../../../compiler/test/support/model-builder.js'
import { computeRejectedOutcome } from '../../../src/targets/iptables/limitation-predicates.js'

// The node has the address 192.168.0.2, and pods have addresses in 10.0.0.0/8.

const SENDERS = {
  pod: packet('10.0.0.9', '172.30.0.41:80', { origin: 'pod' }),
  // Packets of this sender are masqueraded, because it is not a pod.
  client: packet('203.0.113.2', '172.30.0.41:80'),
  node: packet('192.168.0.2', '172.30.0.41:80', { origin: 'node' }),
} as const

type Fields = Parameters<typeof servicePort>[0]

const empty = (fields: Fields) => servicePort({ name: 'empty', clusterIP: '172.30.0.42', ...fields })
const served = (fields: Fields) => empty({ endpoints: [endpoint({ ip: '10.180.0.9', port: 8080 })], ...fields })
const NEAR = '192.168.0.2'
const FAR = '10.180.0.1'
const LIMITED = { sourceRanges: [cidr('198.51.100.0/24')] }
const NOWHERE = { pod: undefined, client: undefined, node: undefined }

const ROWS: readonly (readonly [
  what: string,
  ip: string,
  other: ReturnType<typeof servicePort>,
  rejected: Readonly<Record<keyof typeof SENDERS, 'rejected' | 'dropped' | undefined>>,
])[] = [
  ['a cluster IP', FAR, empty({ clusterIP: FAR }), { pod: 'rejected', client: undefined, node: 'rejected' }],
  ['a cluster IP with another port', FAR, empty({ clusterIP: FAR, port: 81 }), NOWHERE],
  ['a cluster IP over UDP', FAR, empty({ clusterIP: FAR, protocol: 'UDP' }), NOWHERE],
  ['a cluster IP with endpoints', FAR, served({ clusterIP: FAR }), NOWHERE],
  [
    'a cluster IP without endpoints on the node',
    FAR,
    served({ clusterIP: FAR, internalPolicyLocal: true }),
    { pod: 'dropped', client: undefined, node: 'dropped' },
  ],
  ['an external IP', FAR, empty({ externalIPs: [FAR] }), { pod: 'rejected', client: undefined, node: undefined }],
  [
    'an external IP without endpoints on the node',
    FAR,
    served({ externalIPs: [FAR], externalPolicyLocal: true }),
    { pod: 'dropped', client: undefined, node: undefined },
  ],
  [
    'a load-balancer IP',
    FAR,
    empty({ loadBalancerIPs: [FAR] }),
    { pod: 'rejected', client: undefined, node: undefined },
  ],
  [
    'a load-balancer IP with source ranges',
    FAR,
    served({ loadBalancerIPs: [FAR], ...LIMITED }),
    { pod: 'dropped', client: 'dropped', node: 'dropped' },
  ],
  [
    'a cluster IP that is also a load-balancer IP with source ranges',
    FAR,
    served({ clusterIP: FAR, internalPolicyLocal: true, loadBalancerIPs: [FAR], ...LIMITED }),
    { pod: 'dropped', client: 'dropped', node: 'dropped' },
  ],
  [
    'a load-balancer IP with source ranges and without endpoints',
    FAR,
    empty({ loadBalancerIPs: [FAR], ...LIMITED }),
    { pod: 'rejected', client: undefined, node: undefined },
  ],
  ['a node port of another node', FAR, empty({ nodePort: 80 }), NOWHERE],
  ['a node port', NEAR, empty({ nodePort: 80 }), { pod: 'rejected', client: 'rejected', node: 'rejected' }],
  [
    'a node port of a loopback address',
    '127.0.0.1',
    empty({ nodePort: 80 }),
    { pod: 'rejected', client: 'rejected', node: 'rejected' },
  ],
  ['another node port', NEAR, empty({ nodePort: 81 }), NOWHERE],
  ['a node port over UDP', NEAR, empty({ nodePort: 80, protocol: 'UDP' }), NOWHERE],
  ['a health-check node port', NEAR, empty({ nodePort: 80, healthCheckNodePort: 80 }), NOWHERE],
  [
    'a node port next to a health-check node port',
    NEAR,
    empty({ nodePort: 80, healthCheckNodePort: 81 }),
    { pod: 'rejected', client: 'rejected', node: 'rejected' },
  ],
  [
    'an external IP that is a node address',
    NEAR,
    empty({ externalIPs: [NEAR] }),
    { pod: 'rejected', client: 'rejected', node: 'rejected' },
  ],
  [
    'a node address, with the same port at a remote external IP',
    NEAR,
    empty({ externalIPs: ['198.51.100.9'] }),
    NOWHERE,
  ],
  [
    'a cluster IP that is a node address',
    NEAR,
    empty({ clusterIP: NEAR }),
    { pod: undefined, client: undefined, node: 'rejected' },
  ],
  [
    'a load-balancer IP with source ranges that is a node address',
    NEAR,
    served({ loadBalancerIPs: [NEAR], ...LIMITED }),
    { pod: 'dropped', client: 'dropped', node: 'dropped' },
  ],
  ['an unused address', FAR, empty({}), NOWHERE],
]

it.each(ROWS)(
  'computeRejectedOutcome returns the outcome for each sender if an endpoint has the address of %s',
  (_, ip, other, rejected) => {
    const plan = planOf([servicePort({ endpoints: [endpoint({ ip, port: 80 })] }), other])
    const texts = Object.entries(SENDERS).map(([sender, sent]) => [
      sender,
      computeRejectedOutcome(plan, sent, decide(plan, sent)),
    ])
    const expected = Object.entries(rejected).map(([sender, word]) => [sender, word && [word]])
    expect(texts).toEqual(expected)
  },
)

it('computeRejectedOutcome returns a rejection for a UDP endpoint at a health-check port', () => {
  const web = servicePort({ protocol: 'UDP', endpoints: [endpoint({ ip: NEAR, port: 80 })] })
  const plan = planOf([web, empty({ nodePort: 80, protocol: 'UDP', healthCheckNodePort: 80 })])
  const sent = { ...SENDERS.pod, protocol: 'UDP' as const }
  expect(computeRejectedOutcome(plan, sent, decide(plan, sent))).toEqual(['rejected'])
})

it('computeRejectedOutcome returns the probabilities of accepted endpoints', () => {
  const endpoints = [endpoint({ ip: FAR }), endpoint({ ip: '10.180.0.2' }), endpoint({ ip: '10.180.0.3' })]
  const plan = planOf([servicePort({ endpoints }), empty({ externalIPs: [FAR, '10.180.0.3'] })])
  expect(computeRejectedOutcome(plan, SENDERS.pod, decide(plan, SENDERS.pod))).toEqual([
    '10.180.0.2:80 1/3',
    'rejected',
  ])
})

it('computeRejectedOutcome returns undefined for packets without an endpoint', () => {
  const plan = planOf([empty({ clusterIP: '172.30.0.41' })])
  for (const sent of [SENDERS.pod, packet('10.0.0.9', '172.30.0.41:81', { origin: 'pod' })]) {
    expect(computeRejectedOutcome(plan, sent, decide(plan, sent))).toBeUndefined()
  }
})
