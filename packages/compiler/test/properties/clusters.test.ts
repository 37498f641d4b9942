import { IP_FAMILIES } from '@kube-rules/types'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { CompileResult } from '../../src/compilation/compile-result.js'
import { isVersionAtLeast, newestVersionOf } from '../../src/model/configuration/versions.js'
import type { Endpoint } from '../../src/model/endpoints/endpoint.js'
import type { Frontend, Plan, ServicePlan } from '../../src/plan/plan.js'
import { type Case, cases } from '../support/clusters.js'
import { compileCase } from '../support/compiled.js'
import { drawnVersions } from '../support/drawn-versions.js'

interface Sample {
  readonly given: Case
  readonly result: CompileResult
}

const COUNT = 400
const samples: readonly Sample[] = fc
  .sample(cases, { numRuns: COUNT, seed: 1 })
  .map((given) => ({ given, result: compileCase(given) }))

/**
 * Returns the percentage of generated cases with a property. A property test proves nothing about a property that its
 * inputs do not have.
 */
function share(shows: (sample: Sample) => boolean): number {
  return (100 * samples.filter(shows).length) / COUNT
}

function anyPlan(shows: (plan: Plan) => boolean): number {
  return share(({ result }) => result.families.some(({ plan }) => shows(plan)))
}

function anyService(shows: (service: ServicePlan, plan: Plan) => boolean): number {
  return anyPlan((plan) => plan.services.some((service) => shows(service, plan)))
}

/** Counts frontends of service ports with endpoints. */
function anyFrontend(shows: (frontend: Frontend, service: ServicePlan) => boolean): number {
  return anyService((service) => isServed(service) && service.frontends.some((frontend) => shows(frontend, service)))
}

function isServed({ reachable }: ServicePlan): boolean {
  return reachable.length > 0
}

function largestPool({ pools }: ServicePlan): number {
  return Math.max(pools.cluster.length, pools.local.length)
}

/** Reports whether two service ports of one protocol share an address and port. */
function isContested({ services }: Plan): boolean {
  const claims = services.flatMap(({ id, frontends }) =>
    [...new Set(frontends.map(({ address, port }) => `${address} ${port}`))].map((claim) => `${id.protocol} ${claim}`),
  )
  return new Set(claims).size < claims.length
}

function isReady({ ready }: Endpoint): boolean {
  return ready
}

/** Reports whether hints assign some of the usable endpoints to other nodes. */
function hintsMatter({ pools: { cluster }, endpoints }: ServicePlan): boolean {
  return cluster.some(isReady) && cluster.length < endpoints.filter(isReady).length
}

describe('the generated cases', () => {
  it('are compiled without errors', () => {
    const errors = samples.flatMap(({ result }) => result.diagnostics.filter(({ severity }) => severity === 'error'))
    // The node of some cases is missing from the Nodes.
    expect(errors.filter(({ code }) => code !== 'unknownNode')).toEqual([])
  })

  it.each([
    [85, 'service port that is served', isServed],
    [60, 'pool of two endpoints or more', (service: ServicePlan) => largestPool(service) >= 2],
    [20, 'pool of four endpoints or more', (service: ServicePlan) => largestPool(service) >= 4],
    [5, 'service port without endpoints', ({ reachable }: ServicePlan) => reachable.length === 0],
    [5, 'session affinity over several endpoints', (service: ServicePlan) => isSticky(service)],
    [5, 'Service with hints that exclude ready endpoints', hintsMatter],
    [
      5,
      'Service with terminating endpoints that are used',
      ({ reachable }: ServicePlan) => reachable.some((each) => !each.ready),
    ],
    [
      5,
      'Service with terminating endpoints that are not used',
      (service: ServicePlan) => hasUnusedTerminating(service),
    ],
    [5, 'endpoint with an address of the node', (service: ServicePlan, plan: Plan) => hasNodeEndpoint(service, plan)],
    [5, 'health-check node port', ({ healthCheckNodePort }: ServicePlan) => healthCheckNodePort !== undefined],
  ])('include in at least %i of 100 cases a %s', (least, _, shows) => {
    expect(anyService(shows)).toBeGreaterThanOrEqual(least)
  })

  function isSticky(service: ServicePlan): boolean {
    return service.affinitySeconds !== undefined && largestPool(service) > 1
  }

  function hasUnusedTerminating({ endpoints, reachable }: ServicePlan): boolean {
    return reachable.length > 0 && endpoints.some((each) => each.terminating && !reachable.includes(each))
  }

  function hasNodeEndpoint({ reachable }: ServicePlan, { node }: Plan): boolean {
    return reachable.some(({ ip }) => node.addresses.some(({ address }) => address === ip))
  }

  it.each(['clusterIP', 'externalIP', 'loadBalancer', 'nodePort'])('have served frontends of kind %s', (kind) => {
    expect(anyFrontend((frontend) => frontend.kind === kind)).toBeGreaterThanOrEqual(25)
  })

  it.each([
    ['internal', 'clusterIP'],
    ['external', 'externalIP'],
    ['external', 'loadBalancer'],
    ['external', 'nodePort'],
  ])('with the %s traffic policy Local have excluded endpoints at a frontend of kind %s', (_, kind) => {
    const matters = (frontend: Frontend, { pools, endpoints }: ServicePlan) =>
      frontend.kind === kind && frontend.usesLocalPolicy && pools.local.length < endpoints.filter(isReady).length
    expect(anyFrontend(matters)).toBeGreaterThanOrEqual(5)
  })

  it('have served frontends with source ranges', () => {
    expect(anyFrontend(({ allowedSources }) => allowedSources !== undefined)).toBeGreaterThanOrEqual(5)
    expect(anyFrontend(({ allowedSources }) => allowedSources?.includesThisNode === true)).toBeGreaterThanOrEqual(5)
  })

  it.each([
    'offCluster',
    'masqueradeAll',
    'podShortCircuit',
    'nodeShortCircuit',
    'policy',
    'noEndpoints',
    'noLocalEndpoints',
  ])('have routes with a clause for the reason %s', (reason) => {
    const has = ({ frontends }: ServicePlan) =>
      frontends.some(({ clauses }) => clauses.some((clause) => clause.reason === reason))
    expect(anyService(has)).toBeGreaterThanOrEqual(5)
  })

  it.each(['TCP', 'UDP', 'SCTP'])('have served service ports of protocol %s', (protocol) => {
    expect(anyFrontend((_, { id }) => id.protocol === protocol)).toBeGreaterThanOrEqual(10)
  })

  it('often serve both families, and sometimes have Services that share an address', () => {
    const isFamilyServed = ({ services }: Plan) => services.some(isServed)
    expect(share(({ result }) => result.families.every(({ plan }) => isFamilyServed(plan)))).toBeGreaterThanOrEqual(40)
    expect(anyPlan(isContested)).toBeGreaterThanOrEqual(15)
    expect(anyPlan((plan) => plan.services.length > 0 && !isContested(plan))).toBeGreaterThanOrEqual(50)
  })

  it.each([undefined, ...drawnVersions('iptables')])('often use version %s', (version) => {
    // Each version is drawn as often as any other version. The rarest versions have two modes, which are drawn in six
    // of nine cases. A version may occur less often than expected, but at least a third as often.
    const expected = (100 * (6 / 9)) / (drawnVersions('iptables').length + 2)
    expect(share(({ given }) => given.options.kubernetesVersion === version)).toBeGreaterThanOrEqual(expected / 3)
  })

  it.each(['iptables', 'ipvs', 'nftables'])('often use %s mode', (mode) => {
    expect(share(({ given }) => given.options.mode === mode)).toBeGreaterThanOrEqual(20)
  })

  it.each(['cidr', 'interface', 'interfacePrefix', undefined])('often detect local traffic by %s', (by) => {
    expect(anyPlan(({ node }) => node.localTrafficDetection?.kind === by)).toBeGreaterThanOrEqual(5)
  })

  it('serve node ports on all, some, no or loopback addresses', () => {
    const servesNone = ({ nodePorts: { all, addresses } }: Plan) => !all && addresses.length === 0
    expect(anyPlan(({ nodePorts }) => nodePorts.all)).toBeGreaterThanOrEqual(25)
    expect(anyPlan(({ nodePorts }) => nodePorts.addresses.length > 0)).toBeGreaterThanOrEqual(25)
    expect(anyPlan(servesNone)).toBeGreaterThanOrEqual(5)
    expect(anyPlan(({ localhostNodePorts }) => localhostNodePorts)).toBeGreaterThanOrEqual(5)
  })

  it('sometimes have configurations that are valid only in newer versions', () => {
    const hasWord = ({ given: { cluster } }: Sample) =>
      cluster.configuration.nodePortAddresses?.some((address) => address === 'localhost' || address === 'all') === true
    const hasNoExternalIPs = ({ given: { cluster }, result }: Sample) =>
      cluster.configuration.featureGates?.AllowServiceExternalIPs === false &&
      result.diagnostics.some(({ code, path }) => code === 'addressIgnored' && path === 'spec.externalIPs')
    expect(share(hasWord)).toBeGreaterThanOrEqual(5)
    expect(share(hasNoExternalIPs)).toBeGreaterThanOrEqual(2)
  })

  it('include endpoints with the same address in one slice, both before 1.36 and later', () => {
    const hasTwins = ({ given: { cluster } }: Sample) =>
      cluster.endpointSlices.some(({ endpoints }) => {
        const addresses = (endpoints ?? []).map((each) => each.addresses?.[0])
        return new Set(addresses).size < addresses.length
      })
    const isNew = ({ given }: Sample) =>
      isVersionAtLeast(given.options.kubernetesVersion ?? newestVersionOf('iptables'), '1.36')
    expect(share((sample) => hasTwins(sample) && isNew(sample))).toBeGreaterThanOrEqual(10)
    expect(share((sample) => hasTwins(sample) && !isNew(sample))).toBeGreaterThanOrEqual(10)
  })

  it.each([
    ['headless', ({ spec }: Service) => spec?.clusterIP === 'None'],
    ['an ExternalName', ({ spec }: Service) => spec?.type === 'ExternalName'],
    ['without cluster IP', ({ spec }: Service) => spec?.clusterIP === undefined],
    ['for another proxy', ({ metadata }: Service) => metadata?.labels?.[OTHER_PROXY] !== undefined],
  ])('have Services that are %s', (_, shows) => {
    expect(share(({ given }) => given.cluster.services.some(shows))).toBeGreaterThanOrEqual(5)
  })

  type Service = Case['cluster']['services'][number]
  const OTHER_PROXY = 'service.kubernetes.io/service-proxy-name'

  it.each(['orphanSlice', 'unusedEndpoints', 'nonCanonicalAddress', 'otherAddressFamily'])(
    'have the diagnostic %s often enough',
    (code) => {
      expect(
        share(({ result }) => result.diagnostics.some((diagnostic) => diagnostic.code === code)),
      ).toBeGreaterThanOrEqual(5)
    },
  )

  it('include used Endpoints objects, and sometimes no Services', () => {
    const fromEndpoints = ({ given: { cluster }, result }: Sample) =>
      cluster.endpoints.some(({ metadata }) =>
        result.families.some(({ plan }) =>
          plan.services.some(
            ({ id, reachable }) =>
              id.namespace === metadata?.namespace &&
              id.name === metadata?.name &&
              reachable.length > 0 &&
              !cluster.endpointSlices.some((slice) => isSliceOf(slice, id)),
          ),
        ),
      )
    const isSliceOf = ({ metadata }: Slice, id: ServicePlan['id']) =>
      metadata?.namespace === id.namespace && metadata?.labels?.['kubernetes.io/service-name'] === id.name
    expect(share(fromEndpoints)).toBeGreaterThanOrEqual(5)
    expect(share(({ given }) => given.cluster.services.length === 0)).toBeGreaterThan(0)
  })

  type Slice = Case['cluster']['endpointSlices'][number]

  it('often have Services of both families', () => {
    for (const family of IP_FAMILIES) expect(share(({ result }) => isFamilyThere(result, family))).toBeGreaterThan(60)
  })

  function isFamilyThere({ families }: CompileResult, family: string): boolean {
    return families.some(({ plan }) => plan.family === family && plan.services.length > 0)
  }
})
