import { describe, expect, it } from 'vitest'
import type { ServicePort } from '../../../../compiler/src/model/services/service-port.js'
import { type Decision, decide } from '../../../../compiler/src/plan/decide.js'
import { cidr, packet } from '../../../../compiler/test/support/decisions.js'
import { LIMITATIONS_OF_MODE } from '../../../../compiler/test/support/limitations.js'
import { servicePort } from '../../../../compiler/test/support/model-builder.js'
import { proxiedPlan } from '../../../../compiler/test/support/proxied-plan.js'
import { checkDecision, type Fields, LOCAL, planOfRow, REMOTE, toIPv6 } from '../../support/decision-rows.js'

// The expected decision is the decision of iptables mode, which has the same Services but supports policies.

type Row = [
  what: string,
  services: ServicePort | readonly ServicePort[],
  sent: ReturnType<typeof packet>,
  expected: string,
  isServed?: boolean,
]

const EXTERNAL = '198.51.100.9'
const NODE_PORT = '192.168.0.2:3001'
const web = (fields: Fields = {}) => servicePort({ endpoints: [LOCAL, REMOTE], ...fields })
const client = (to: string) => packet('203.0.113.2', to)
const pod = (to: string) => packet('10.0.0.9', to, { origin: 'pod' })
const node = (to: string) => packet('192.168.0.2', to, { origin: 'node' })
const WEB = pod('172.30.0.41:80')
const LIMITED = { loadBalancerIPs: [EXTERNAL], sourceRanges: [cidr('10.9.0.0/16')] }
/** An earlier service port with the same node port. */
const FIRST = servicePort({ name: 'svc0', clusterIP: '172.30.0.40', nodePort: 3001, endpoints: [LOCAL] })

const ROWS: readonly Row[] = [
  ['cluster IP', web(), WEB, 'proxy; connectionsTaken'],
  ['no endpoints', web({ endpoints: [] }), WEB, 'proxy; connectionsTaken'],
  ['no Service', web(), pod('172.30.0.41:81'), 'unmatched'],
  ['SCTP', web({ protocol: 'SCTP' }), { ...WEB, protocol: 'SCTP' }, 'unmatched; noSctp'],
  [
    'policy Local at a node port',
    web({ externalPolicyLocal: true, nodePort: 3001 }),
    client(NODE_PORT),
    'proxy; policiesIgnored connectionsTaken',
  ],
  ['policy Local at a cluster IP', web({ internalPolicyLocal: true }), WEB, 'proxy; policiesIgnored connectionsTaken'],
  [
    'policy Local without local endpoints',
    web({ internalPolicyLocal: true, endpoints: [REMOTE] }),
    WEB,
    'proxy; policiesIgnored connectionsTaken',
  ],
  ['not allowed', web(LIMITED), client(`${EXTERNAL}:80`), 'proxy; sourceRangesIgnored connectionsTaken'],
  ['allowed', web(LIMITED), packet('10.9.0.9', `${EXTERNAL}:80`), 'proxy; connectionsTaken'],
  [
    'external IP in conflict',
    [FIRST, web({ externalIPs: ['192.168.1.2'] }), web({ name: 'svc2', externalIPs: ['192.168.1.2'], nodePort: 3002 })],
    client('192.168.0.2:3002'),
    'to the node; claimStops',
  ],
  ['other family', web(), WEB, 'unmatched; oneFamily', false],
  ['external IP, from outside', web({ externalIPs: [EXTERNAL] }), client(`${EXTERNAL}:80`), 'proxy; connectionsTaken'],
  [
    'external IP, from a pod',
    web({ externalIPs: [EXTERNAL] }),
    pod(`${EXTERNAL}:80`),
    'proxy, unmatched; connectionsTaken externalIPsOfOthers',
  ],
  [
    'external IP, from the node',
    web({ externalIPs: [EXTERNAL] }),
    node(`${EXTERNAL}:80`),
    'unmatched; externalIPsOfOthers',
  ],
  ['external IP of the node', web({ externalIPs: ['192.168.1.2'] }), pod('192.168.1.2:80'), 'proxy; connectionsTaken'],
  ['load-balancer IP', web({ loadBalancerIPs: [EXTERNAL] }), pod(`${EXTERNAL}:80`), 'proxy; connectionsTaken'],
]

describe('userspace mode decides', () => {
  describe.each(['IPv4', 'IPv6'])('in %s', (family) => {
    it.each(ROWS)('%s', (_, services, sent, text, isServed = true) => {
      const ports = [services].flat()
      const expected = decide(planOfRow('iptables', ports), sent)
      const row = { plan: proxiedPlan(ports, {}, { isServed }), packet: sent, expected }
      checkDecision('userspace', family === 'IPv4' ? row : toIPv6(row), text)
    })
  })

  const ofOtherPlan = (
    ports: readonly ServicePort[],
    sent: ReturnType<typeof packet>,
    expected: Decision,
    text: string,
  ) => checkDecision('userspace', { plan: proxiedPlan(ports), packet: sent, expected }, text)

  it('that the proxy also gets packets to a load-balancer IP with ipMode Proxy', () => {
    const ports = [web({ loadBalancerIPs: [EXTERNAL] })]
    ofOtherPlan(ports, client(`${EXTERNAL}:80`), { kind: 'unmatched' }, 'proxy; ipModeIgnored')
  })

  it('that frontends after an address of the other family have no rules', () => {
    const expected = decide(planOfRow('iptables', web({ nodePort: 3001 })), client(NODE_PORT))
    const ports = [web({ externalIPs: [EXTERNAL], proxied: { identity: '', stopsEarly: true } } as Fields)]
    ofOtherPlan(ports, client(NODE_PORT), expected, 'to the node; otherFamilyStops')
  })

  it('that the proxy uses endpoints in any zone', () => {
    const expected = decide(planOfRow('iptables', web({ endpoints: [LOCAL] })), WEB)
    ofOtherPlan([web()], WEB, expected, 'proxy; topologyIgnored connectionsTaken')
  })

  it('that the proxy accepts connections to a node port that another mode rejects on loopback addresses', () => {
    const toLoopback = packet('127.0.0.1', '127.0.0.1:3001', { origin: 'node' })
    const settings = { rejectedLocalhostNodePorts: ['TCP'], localhostNodePorts: false } as const
    const expected = decide(planOfRow('iptables', web({ nodePort: 3001 }), { settings }), toLoopback)
    ofOtherPlan([web({ nodePort: 3001 })], toLoopback, expected, 'proxy; connectionsTaken')
  })

  it('with every limitation that affects packets', () => {
    const named = [...ROWS.flatMap(([, , , text]) => text.split('; ')[1]?.split(' ') ?? []), 'ipModeIgnored']
    const codes = [...named, 'otherFamilyStops', 'topologyIgnored', 'healthCheckNotServed']
    expect([...new Set(codes)].sort()).toEqual(LIMITATIONS_OF_MODE.userspace.map(({ code }) => code).sort())
  })
})
