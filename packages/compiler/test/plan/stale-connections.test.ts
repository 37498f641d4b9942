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

describe('a service port that gets its first serving endpoint', () => {
  it.each<[string, Plan | undefined, Plan, readonly string[]]>([
    ['at the start', undefined, dns([ONE, TWO]), ALL_FRONTENDS],
    ['at the start, draining', undefined, dns([DRAINING]), ALL_FRONTENDS],
    ['with the service port', planOf(), dns([ONE]), ALL_FRONTENDS],
    ['after none', dns([]), dns([ONE]), ALL_FRONTENDS],
    ['after a broken one', dns([BROKEN]), dns([BROKEN, TWO]), ALL_FRONTENDS],
    ['when the broken one recovers', dns([BROKEN]), dns([ONE]), ALL_FRONTENDS],
    ['when a ready one begins to serve', dns([READY_NOT_SERVING]), dns([ONE]), ALL_FRONTENDS],
    ['a second one', dns([ONE]), dns([ONE, TWO]), []],
    ['a second one, the first draining', dns([DRAINING]), dns([DRAINING, TWO]), []],
    ['a broken one', dns([]), dns([BROKEN]), []],
    ['a ready one that does not serve', dns([]), dns([READY_NOT_SERVING]), []],
    ['none, at the start', undefined, dns([]), []],
  ])('%s', (_, before, after, expected) => {
    expect(describeAll(before, after)).toEqual(expected)
  })

  it('has stale connections at its current frontends, for any policies', () => {
    const plain = { externalIPs: [], loadBalancerIPs: [], nodePort: 0 }
    expect(describeAll(undefined, dns([ONE], plain))).toEqual(['address 10.96.0.10'])
    const local = { internalPolicyLocal: true, externalPolicyLocal: true }
    expect(describeAll(undefined, dns([ONE], local))).toEqual(ALL_FRONTENDS)
  })
})

describe('a service port that loses endpoints', () => {
  it.each<[string, Plan, Plan, readonly string[]]>([
    ['one of two', dns([ONE, TWO]), dns([TWO]), allFrontendsTo('10.244.2.1')],
    ['the last one', dns([ONE]), dns([]), allFrontendsTo('10.244.2.1')],
    ['a draining one', dns([DRAINING, TWO]), dns([TWO]), allFrontendsTo('10.244.2.1')],
    ['one for another', dns([ONE]), dns([TWO]), allFrontendsTo('10.244.2.1')],
    ['one port of an address', dns([ONE, OTHER_PORT]), dns([ONE]), allFrontendsTo('10.244.2.1')],
    ['both ports of an address, once', dns([ONE, OTHER_PORT]), dns([]), allFrontendsTo('10.244.2.1')],
    ['one, and the other breaks', dns([ONE, TWO]), dns([BROKEN]), allFrontendsTo('10.244.2.2')],
    ['a broken one', dns([BROKEN, TWO]), dns([TWO]), []],
    ['a ready one that did not serve', dns([READY_NOT_SERVING, TWO]), dns([TWO]), []],
    ['none, one begins to drain', dns([ONE, TWO]), dns([DRAINING, TWO]), []],
    ['none, one breaks and stays known', dns([ONE, TWO]), dns([BROKEN, TWO]), []],
    ['none, the only one breaks and stays known', dns([ONE]), dns([BROKEN]), []],
  ])('%s', (_, before, after, expected) => {
    expect(describeAll(before, after)).toEqual(expected)
  })

  it('may lose several at once, sorted by frontend', () => {
    const plain = { externalIPs: [], loadBalancerIPs: ['10.96.0.1'], nodePort: 0 }
    expect(describeAll(dns([TWO, ONE], plain), dns([], plain))).toEqual([
      'addressAndEndpoint 10.96.0.1 10.244.2.1',
      'addressAndEndpoint 10.96.0.1 10.244.2.2',
      'addressAndEndpoint 10.96.0.10 10.244.2.1',
      'addressAndEndpoint 10.96.0.10 10.244.2.2',
    ])
  })

  it('has stale connections at its new frontends', () => {
    const moved = { clusterIP: '10.96.0.11', externalIPs: [], loadBalancerIPs: [], nodePort: 30054 }
    expect(describeAll(dns([ONE]), dns([], moved))).toEqual([
      'addressAndEndpoint 10.96.0.11 10.244.2.1',
      'nodePortAndEndpoint 30054 10.244.2.1',
    ])
  })
})

describe('a removed service port', () => {
  it.each<[string, Plan, Plan | undefined, readonly string[]]>([
    ['with its endpoints', dns([ONE]), planOf(), ['address 10.96.0.10']],
    ['without endpoints', dns([]), planOf(), ['address 10.96.0.10']],
    ['with everything', dns([ONE]), undefined, ['address 10.96.0.10']],
    ['for one of another name', dns([]), dns([], { portName: 'other' }), ['address 10.96.0.10']],
    ['for one of another protocol', dns([ONE]), dns([ONE], { protocol: 'TCP' }), ['address 10.96.0.10']],
  ])('%s', (_, before, after, expected) => {
    expect(describeAll(before, after)).toEqual(expected)
  })
})

describe('no stale connections', () => {
  it.each<[string, Plan, Plan]>([
    ['new frontends', dns([ONE], { externalIPs: [], nodePort: 0 }), dns([ONE])],
    ['another cluster IP', dns([ONE]), dns([ONE], { clusterIP: '10.96.0.11' })],
    ['other policies', dns([ONE]), dns([ONE], { internalPolicyLocal: true, externalPolicyLocal: true })],
    ['affinity', dns([ONE]), dns([ONE], { affinitySeconds: 60 })],
  ])('%s', (_, before, after) => {
    expect(findStaleConnections(before, after)).toEqual([])
  })

  it.each(['TCP', 'SCTP'] as const)('for any change of %s', (protocol) => {
    const [served, unserved] = [dns([ONE], { protocol }), dns([], { protocol })]
    const steps = [undefined, served, unserved, served, planOf()]
    for (const [index, after] of steps.entries()) expect(findStaleConnections(steps[index - 1], after)).toEqual([])
  })

  it('without any plan', () => {
    expect(findStaleConnections(undefined, undefined)).toEqual([])
  })
})

describe('stale connections of several service ports', () => {
  it('list common connections once', () => {
    const ports = ['a', 'b'].map((portName) => servicePort({ ...EVERYWHERE, portName, nodePort: 0, endpoints: [ONE] }))
    expect(describeAll(undefined, planOf(...ports))).toEqual(ALL_FRONTENDS.slice(0, 3))
  })

  it('are handled one by one: one removed, one with its first endpoint, one with a lost one, one unchanged', () => {
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

  it('are skipped if they are the same object', () => {
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

it('stale connections are the same for IPv6 and IPv4', () => {
  const fields = { protocol: 'UDP', clusterIP: 'fd00:10:96::a', externalIPs: ['2001:db8::1'] } as const
  const before = servicePort({ ...fields, endpoints: [endpoint({ ip: 'fd00:10:244::1' })] })
  expect(describeAll(planOf(before), planOf(servicePort(fields)))).toEqual([
    'addressAndEndpoint 2001:db8::1 fd00:10:244::1',
    'addressAndEndpoint fd00:10:96::a fd00:10:244::1',
  ])
})
