import { describe, expect, it } from 'vitest'
import type { Endpoint } from '../../src/model/endpoints/endpoint.js'
import type { ServicePort } from '../../src/model/services/service-port.js'
import type { Plan } from '../../src/plan/plan.js'
import { planService } from '../../src/plan/plan-service.js'
import type { StaleConnection } from '../../src/plan/stale-connection.js'
import { findStaleConnections } from '../../src/plan/stale-connections.js'
import { buildPlan } from '../support/build-plan.js'
import { endpoint, model, nodeFacts, servicePort, settings } from '../support/model-builder.js'

/** UDP port 53 with every kind of frontend. */
const EVERYWHERE = {
  protocol: 'UDP',
  clusterIP: '10.96.0.10',
  port: 53,
  externalIPs: ['198.51.100.1'],
  loadBalancerIPs: ['203.0.113.9'],
  nodePort: 30053,
} as const

const [ONE, TWO] = [endpoint({ ip: '10.244.2.1', port: 5353 }), endpoint({ ip: '10.244.2.2', port: 5353 })]
const OTHER_PORT = endpoint({ ip: '10.244.2.1', port: 5354 })
const DRAINING = { ...ONE, ready: false, terminating: true }
const BROKEN = { ...ONE, ready: false, serving: false }
const READY_NOT_SERVING = { ...ONE, serving: false }

const ALL_FRONTENDS = ['address 10.96.0.10', 'address 198.51.100.1', 'address 203.0.113.9', 'nodePort 30053']
const allFrontendsTo = (ip: string) => [
  `addressAndEndpoint 10.96.0.10 ${ip}`,
  `addressAndEndpoint 198.51.100.1 ${ip}`,
  `addressAndEndpoint 203.0.113.9 ${ip}`,
  `nodePortAndEndpoint 30053 ${ip}`,
]

function planOf(...servicePorts: readonly ServicePort[]): Plan {
  return buildPlan(model({ servicePorts }))
}

function dns(endpoints: readonly Endpoint[], fields: Parameters<typeof servicePort>[0] = {}): Plan {
  return planOf(servicePort({ ...EVERYWHERE, ...fields, endpoints }))
}

function describeAll(before: Plan | undefined, after: Plan | undefined): readonly string[] {
  return findStaleConnections(before, after).map(describeOne)
}

function describeOne({ kind, protocol, ...rest }: StaleConnection): string {
  expect(protocol).toBe('UDP')
  return [kind, ...Object.values(rest)].join(' ')
}

describe('findStaleConnections for a UDP service port that gets an endpoint', () => {
  it.each<[string, Plan | undefined, Plan, readonly string[]]>([
    ['all frontends if it has two endpoints at the start', undefined, dns([ONE, TWO]), ALL_FRONTENDS],
    ['all frontends if it has a serving, terminating endpoint at the start', undefined, dns([DRAINING]), ALL_FRONTENDS],
    ['all frontends if the service port is added with an endpoint', planOf(), dns([ONE]), ALL_FRONTENDS],
    ['all frontends if it had no endpoint', dns([]), dns([ONE]), ALL_FRONTENDS],
    ['all frontends if the previous endpoint does not serve', dns([BROKEN]), dns([BROKEN, TWO]), ALL_FRONTENDS],
    ['all frontends if its only endpoint recovers', dns([BROKEN]), dns([ONE]), ALL_FRONTENDS],
    ['all frontends if its ready endpoint begins to serve', dns([READY_NOT_SERVING]), dns([ONE]), ALL_FRONTENDS],
    ['nothing if it already has an endpoint', dns([ONE]), dns([ONE, TWO]), []],
    ['nothing if it already has an endpoint that is terminating', dns([DRAINING]), dns([DRAINING, TWO]), []],
    ['nothing if the new endpoint does not serve', dns([]), dns([BROKEN]), []],
    ['nothing if the new endpoint is ready but does not serve', dns([]), dns([READY_NOT_SERVING]), []],
    ['nothing if it has no endpoint at the start', undefined, dns([]), []],
  ])('returns %s', (_, before, after, expected) => {
    expect(describeAll(before, after)).toEqual(expected)
  })

  it('returns the current frontends, whatever the policies are', () => {
    const plain = { externalIPs: [], loadBalancerIPs: [], nodePort: 0 }
    expect(describeAll(undefined, dns([ONE], plain))).toEqual(['address 10.96.0.10'])
    const local = { internalPolicyLocal: true, externalPolicyLocal: true }
    expect(describeAll(undefined, dns([ONE], local))).toEqual(ALL_FRONTENDS)
  })
})

describe('findStaleConnections for a UDP service port with a removed endpoint', () => {
  it.each<[string, Plan, Plan, readonly string[]]>([
    [
      'the connections of the endpoint at all frontends if another endpoint stays',
      dns([ONE, TWO]),
      dns([TWO]),
      allFrontendsTo('10.244.2.1'),
    ],
    [
      'the connections of the endpoint at all frontends if it was the last endpoint',
      dns([ONE]),
      dns([]),
      allFrontendsTo('10.244.2.1'),
    ],
    [
      'the connections of the endpoint at all frontends if it was terminating',
      dns([DRAINING, TWO]),
      dns([TWO]),
      allFrontendsTo('10.244.2.1'),
    ],
    [
      'the connections of the endpoint at all frontends if another endpoint replaces it',
      dns([ONE]),
      dns([TWO]),
      allFrontendsTo('10.244.2.1'),
    ],
    [
      'the connections of the endpoint at all frontends if another port of its address stays',
      dns([ONE, OTHER_PORT]),
      dns([ONE]),
      allFrontendsTo('10.244.2.1'),
    ],
    [
      'the connections of the address at all frontends once if both of its ports are removed',
      dns([ONE, OTHER_PORT]),
      dns([]),
      allFrontendsTo('10.244.2.1'),
    ],
    [
      'the connections of the endpoint at all frontends if the other endpoint stops serving',
      dns([ONE, TWO]),
      dns([BROKEN]),
      allFrontendsTo('10.244.2.2'),
    ],
    ['nothing if the endpoint did not serve', dns([BROKEN, TWO]), dns([TWO]), []],
    ['nothing if the endpoint was ready but did not serve', dns([READY_NOT_SERVING, TWO]), dns([TWO]), []],
    ['nothing if the endpoint is not removed but begins to terminate', dns([ONE, TWO]), dns([DRAINING, TWO]), []],
    ['nothing if the endpoint is not removed but stops serving', dns([ONE, TWO]), dns([BROKEN, TWO]), []],
    ['nothing if the only endpoint is not removed but stops serving', dns([ONE]), dns([BROKEN]), []],
  ])('returns %s', (_, before, after, expected) => {
    expect(describeAll(before, after)).toEqual(expected)
  })

  it('returns the connections of several removed endpoints sorted by frontend', () => {
    const plain = { externalIPs: [], loadBalancerIPs: ['10.96.0.1'], nodePort: 0 }
    expect(describeAll(dns([TWO, ONE], plain), dns([], plain))).toEqual([
      'addressAndEndpoint 10.96.0.1 10.244.2.1',
      'addressAndEndpoint 10.96.0.1 10.244.2.2',
      'addressAndEndpoint 10.96.0.10 10.244.2.1',
      'addressAndEndpoint 10.96.0.10 10.244.2.2',
    ])
  })

  it('returns connections at the new frontends if the frontends change too', () => {
    const moved = { clusterIP: '10.96.0.11', externalIPs: [], loadBalancerIPs: [], nodePort: 30054 }
    expect(describeAll(dns([ONE]), dns([], moved))).toEqual([
      'addressAndEndpoint 10.96.0.11 10.244.2.1',
      'nodePortAndEndpoint 30054 10.244.2.1',
    ])
  })
})

describe('findStaleConnections for a removed UDP service port', () => {
  it.each<[string, Plan, Plan | undefined, readonly string[]]>([
    ['with its endpoints', dns([ONE]), planOf(), ['address 10.96.0.10']],
    ['without having endpoints', dns([]), planOf(), ['address 10.96.0.10']],
    ['together with the whole plan', dns([ONE]), undefined, ['address 10.96.0.10']],
    ['and one with another port name is added', dns([]), dns([], { portName: 'other' }), ['address 10.96.0.10']],
    ['and one with another protocol is added', dns([ONE]), dns([ONE], { protocol: 'TCP' }), ['address 10.96.0.10']],
  ])('returns the cluster IP if the port is removed %s', (_, before, after, expected) => {
    expect(describeAll(before, after)).toEqual(expected)
  })
})

describe('findStaleConnections', () => {
  it.each<[string, Plan, Plan]>([
    ['new frontends', dns([ONE], { externalIPs: [], nodePort: 0 }), dns([ONE])],
    ['another cluster IP', dns([ONE]), dns([ONE], { clusterIP: '10.96.0.11' })],
    ['other policies', dns([ONE]), dns([ONE], { internalPolicyLocal: true, externalPolicyLocal: true })],
    ['session affinity', dns([ONE]), dns([ONE], { affinitySeconds: 60 })],
  ])('returns nothing if a service port gets %s', (_, before, after) => {
    expect(findStaleConnections(before, after)).toEqual([])
  })

  it.each(['TCP', 'SCTP'] as const)('returns nothing for the protocol %s, whatever changes', (protocol) => {
    const [served, unserved] = [dns([ONE], { protocol }), dns([], { protocol })]
    const steps = [undefined, served, unserved, served, planOf()]
    for (const [index, after] of steps.entries()) expect(findStaleConnections(steps[index - 1], after)).toEqual([])
  })

  it('returns nothing if there is no plan before or after', () => {
    expect(findStaleConnections(undefined, undefined)).toEqual([])
  })
})

describe('findStaleConnections with several service ports', () => {
  it('returns connections that several service ports have in common only once', () => {
    const ports = ['a', 'b'].map((portName) => servicePort({ ...EVERYWHERE, portName, nodePort: 0, endpoints: [ONE] }))
    expect(describeAll(undefined, planOf(...ports))).toEqual(ALL_FRONTENDS.slice(0, 3))
  })

  it('handles removed, unchanged and changed service ports independently', () => {
    const plain = { protocol: 'UDP', port: 53 } as const
    const gone = servicePort({ ...plain, name: 'gone', clusterIP: '10.96.0.1', endpoints: [ONE] })
    const first = { ...plain, name: 'first', clusterIP: '10.96.0.2' }
    const lost = { ...plain, name: 'lost', clusterIP: '10.96.0.3' }
    const same = servicePort({ ...plain, name: 'same', clusterIP: '10.96.0.4', endpoints: [ONE] })
    const before = planOf(servicePort(first), gone, servicePort({ ...lost, endpoints: [ONE, TWO] }), same)
    const after = planOf(servicePort({ ...first, endpoints: [TWO] }), servicePort({ ...lost, endpoints: [ONE] }), same)
    expect(describeAll(before, after)).toEqual([
      'address 10.96.0.1',
      'address 10.96.0.2',
      'addressAndEndpoint 10.96.0.3 10.244.2.2',
    ])
  })

  it('does not read service ports that are the same object in both plans', () => {
    const shared = planService(servicePort({ ...EVERYWHERE, endpoints: [ONE] }), {
      node: nodeFacts(),
      settings: settings(),
    })
    const sealed = Object.defineProperty({ ...shared }, 'endpoints', {
      get: () => {
        throw new Error('looked at')
      },
    })
    const plan = { ...planOf(), services: [sealed] }
    expect(findStaleConnections(plan, { ...plan, services: [sealed] })).toEqual([])
    expect(() => findStaleConnections(undefined, plan)).toThrow('looked at')
  })
})

it('findStaleConnections returns the same kinds of connections for IPv6 as for IPv4', () => {
  const fields = { protocol: 'UDP', clusterIP: 'fd00:10:96::a', externalIPs: ['2001:db8::1'] } as const
  const before = servicePort({ ...fields, endpoints: [endpoint({ ip: 'fd00:10:244::1' })] })
  expect(describeAll(planOf(before), planOf(servicePort(fields)))).toEqual([
    'addressAndEndpoint 2001:db8::1 fd00:10:244::1',
    'addressAndEndpoint fd00:10:96::a fd00:10:244::1',
  ])
})
