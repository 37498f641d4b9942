import { parseCidr } from '@kube-rules/types/internal/cidr'
import { describe, expect, it } from 'vitest'
import type { ServicePort } from '../../src/model/services/service-port.js'
import type { Frontend } from '../../src/plan/plan.js'
import { planService } from '../../src/plan/plan-service.js'
import { buildPlan } from '../support/build-plan.js'
import { endpoint, model, nodeFacts, servicePort, settings } from '../support/model-builder.js'

const CONTEXT = { node: nodeFacts(), settings: settings() }
const READY = endpoint({ ip: '10.180.0.1' })
const LOCAL = endpoint({ ip: '10.180.0.2', local: true })
const BROKEN = endpoint({ ip: '10.180.0.3', local: true, ready: false, serving: false })

const EVERYWHERE: Partial<ServicePort> = {
  nodePort: 3001,
  externalIPs: ['192.168.99.22', '192.168.99.11'],
  loadBalancerIPs: ['5.6.7.8', '1.2.3.4'],
}

function ranges(...texts: readonly string[]) {
  return texts.flatMap((text) => parseCidr(text) ?? [])
}

function describeFrontend({ kind, address, port }: Frontend): string {
  return `${kind} ${address ?? '-'} ${port}`
}

describe('planService', () => {
  it('returns the frontends in the order cluster IP, external IPs, load-balancer IPs, node port', () => {
    const { frontends } = planService(servicePort(EVERYWHERE), CONTEXT)
    expect(frontends.map(describeFrontend)).toEqual([
      'clusterIP 172.30.0.41 80',
      'externalIP 192.168.99.22 80',
      'externalIP 192.168.99.11 80',
      'loadBalancer 5.6.7.8 80',
      'loadBalancer 1.2.3.4 80',
      'nodePort - 3001',
    ])
  })

  it('returns only the frontend of the cluster IP if a service port has no other address or node port', () => {
    const { frontends } = planService(servicePort(), CONTEXT)
    expect(frontends.map(describeFrontend)).toEqual(['clusterIP 172.30.0.41 80'])
  })

  it('marks the frontends with policy Local', () => {
    const local = (fields: Partial<ServicePort>) =>
      planService(servicePort({ ...EVERYWHERE, ...fields }), CONTEXT)
        .frontends.filter(({ usesLocalPolicy }) => usesLocalPolicy)
        .map(({ kind }) => kind)
    expect(local({})).toEqual([])
    expect(local({ internalPolicyLocal: true })).toEqual(['clusterIP'])
    expect(local({ externalPolicyLocal: true })).toEqual([
      'externalIP',
      'externalIP',
      'loadBalancer',
      'loadBalancer',
      'nodePort',
    ])
  })

  it.each([
    [{}, [undefined, false, false, false, false, false]],
    [{ internalPolicyLocal: true }, [undefined, false, false, false, false, false]],
    [{ externalPolicyLocal: true }, [undefined, true, true, true, true, true]],
  ])('returns whether each frontend preserves the client IP, independently of endpoints: %j', (fields, expected) => {
    for (const endpoints of [[], [READY], [READY, LOCAL]]) {
      const { frontends } = planService(servicePort({ ...EVERYWHERE, ...fields, endpoints }), CONTEXT)
      expect(frontends.map(({ preservesClientIP }) => preservesClientIP)).toEqual(expected)
    }
  })

  it.each([true, false])(
    'preserves the client IP if and only if no clause masquerades (external policy Local: %s)',
    (externalPolicyLocal) => {
      const port = servicePort({ ...EVERYWHERE, externalPolicyLocal, endpoints: [READY, LOCAL] })
      const external = planService(port, CONTEXT).frontends.slice(1)
      const ordinary = external.map(({ clauses }) => clauses.find(({ reason }) => reason === 'policy')?.masquerade)
      expect(ordinary).toHaveLength(5)
      expect(external.map(({ preservesClientIP }) => !preservesClientIP)).toEqual(ordinary)
    },
  )

  it('shares one list of clauses between the external frontends of all service ports', () => {
    const plans = ['a', 'b'].map((name) =>
      planService(servicePort({ ...EVERYWHERE, name, endpoints: [READY] }), CONTEXT),
    )
    const clauseLists = plans.flatMap(({ frontends }) => frontends.map(({ clauses }) => clauses))
    expect(new Set(clauseLists).size).toBe(2)
  })

  it('restricts only load-balancer IPs to the source ranges', () => {
    const sourceRanges = ranges('203.0.113.0/25', '192.168.0.0/24')
    const { frontends } = planService(servicePort({ ...EVERYWHERE, sourceRanges }), CONTEXT)
    const limited = frontends.filter(({ allowedSources }) => allowedSources !== undefined)
    expect(limited.map(({ kind }) => kind)).toEqual(['loadBalancer', 'loadBalancer'])
    for (const { allowedSources } of limited) {
      expect(allowedSources).toEqual({ ranges: sourceRanges, includesThisNode: true })
    }
  })

  it.each([
    [['203.0.113.0/25'], false],
    [['192.168.0.2/32'], true],
    [['192.168.1.0/24'], false],
    [['203.0.113.0/25', '192.168.0.0/16'], true],
  ])('returns whether the source ranges %j include an address of this node: %s', (texts, expected) => {
    const port = servicePort({ loadBalancerIPs: ['1.2.3.4'], sourceRanges: ranges(...texts) })
    expect(planService(port, CONTEXT).frontends[1]?.allowedSources?.includesThisNode).toBe(expected)
  })

  it('returns the pools, the reachable endpoints, all local endpoints and the number of endpoints', () => {
    const port = servicePort({ ...EVERYWHERE, externalPolicyLocal: true, endpoints: [READY, LOCAL, BROKEN] })
    const plan = planService(port, CONTEXT)
    expect(plan.pools).toEqual({ cluster: [READY, LOCAL], local: [LOCAL] })
    expect(plan.reachable).toEqual([READY, LOCAL])
    expect(plan.localEndpoints).toEqual([LOCAL, BROKEN])
    expect(plan.endpoints).toBe(port.endpoints)
    expect(plan.endpointCount).toBe(3)
  })

  it('returns the same empty list for every list of endpoints that is empty', () => {
    const remote = planService(servicePort({ endpoints: [READY] }), CONTEXT)
    const none = planService(servicePort(), CONTEXT)
    expect(remote.localEndpoints).toEqual([])
    expect(none.localEndpoints).toBe(remote.localEndpoints)
    expect(none.pools.cluster).toBe(remote.pools.local)
  })

  it('returns the identity, the affinity timeout and the health-check node port', () => {
    const port = servicePort({ affinitySeconds: 10800, healthCheckNodePort: 30123 })
    const plan = planService(port, CONTEXT)
    expect(plan.id).toBe(port.id)
    expect(plan.affinitySeconds).toBe(10800)
    expect(plan.healthCheckNodePort).toBe(30123)
  })

  it('returns no affinity and no health-check node port if the service port has neither', () => {
    const plan = planService(servicePort(), CONTEXT)
    expect(plan.affinitySeconds).toBeUndefined()
    expect(plan.healthCheckNodePort).toBeUndefined()
  })

  it('does not change its input', () => {
    const port = servicePort({ ...EVERYWHERE, externalPolicyLocal: true, endpoints: [READY, LOCAL, BROKEN] })
    const before = structuredClone(port)
    planService(port, CONTEXT)
    expect(port).toEqual(before)
  })
})

describe('buildPlan', () => {
  it('plans every service port in order, and counts all endpoints', () => {
    const servicePorts = [
      servicePort({ name: 'a', endpoints: [READY, LOCAL, BROKEN] }),
      servicePort({ name: 'b', endpoints: [LOCAL] }),
      servicePort({ name: 'c' }),
    ]
    const plan = buildPlan(model({ servicePorts }))
    expect(plan.services.map(({ id }) => id.text)).toEqual(['ns1/a:p80', 'ns1/b:p80', 'ns1/c:p80'])
    expect(plan.services).toEqual(servicePorts.map((port) => planService(port, CONTEXT)))
    expect(plan.endpointCount).toBe(4)
  })

  it.each([true, false])(
    'copies the family, the node, and the value of localhostNodePorts: %s',
    (localhostNodePorts) => {
      const given = model({ family: 'IPv6', settings: settings({ localhostNodePorts }) })
      const plan = buildPlan(given)
      expect(plan).toEqual({
        unassignedEndpoints: [],
        family: 'IPv6',
        node: given.node,
        nodePorts: { all: true, addresses: [] },
        localhostNodePorts,
        rejectedLocalhostNodePorts: [],
        connectionsTaken: false,
        clusterIPMasquerade: 'offCluster',
        serviceCIDRs: [],
        services: [],
        endpointCount: 0,
        kernel: expect.objectContaining({ masqueradeMark: 0x4000, features: given.settings.features }),
      })
    },
  )

  it.each([
    ['local traffic detection', {}, {}, 'offCluster'],
    ['no local traffic detection', { localTrafficDetection: undefined }, {}, 'none'],
    ['masqueradeAll', {}, { masqueradeAll: true }, 'all'],
    [
      'masqueradeAll and no local traffic detection',
      { localTrafficDetection: undefined },
      { masqueradeAll: true },
      'all',
    ],
  ])('with %s selects the cluster IP packets that rules masquerade', (_name, node, fields, expected) => {
    const plan = buildPlan(model({ node: nodeFacts(node), settings: settings(fields) }))
    expect(plan.clusterIPMasquerade).toBe(expected)
  })

  it.each([
    [true, ['127.0.0.1', '192.168.0.2']],
    [false, ['192.168.0.2']],
  ])('serves node ports on loopback only if localhostNodePorts is on (%s): %j', (localhostNodePorts, expected) => {
    const nodePorts = { all: false, addresses: ['127.0.0.1', '192.168.0.2'], containsLoopback: true }
    const given = model({ node: nodeFacts({ nodePorts }), settings: settings({ localhostNodePorts }) })
    expect(buildPlan(given).nodePorts).toEqual({ all: false, addresses: expected })
  })
})
