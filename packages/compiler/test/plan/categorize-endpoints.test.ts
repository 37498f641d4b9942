import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Features } from '../../src/model/configuration/features.js'
import type { Endpoint } from '../../src/model/endpoints/endpoint.js'
import type { NodeFacts } from '../../src/model/node/node-facts.js'
import type { ServicePort } from '../../src/model/services/service-port.js'
import { categorizeEndpoints, usesClusterEndpoints, usesLocalEndpoints } from '../../src/plan/categorize-endpoints.js'
import { endpoint, features, nodeFacts, servicePort } from '../support/model-builder.js'

const UNREADY = { ready: false, serving: false }
const TERMINATING = { ready: false, serving: true, terminating: true }
const LOCAL = { local: true }
const ZONE_A = nodeFacts({ zone: 'zone-a' })

interface Case {
  readonly name: string
  readonly service?: Partial<ServicePort>
  readonly endpoints: readonly Endpoint[]
  readonly node?: NodeFacts
  readonly features?: Partial<Features>
  /** Last octets of the expected endpoints; omits `reachable` if it equals `cluster`. */
  readonly cluster: string
  readonly local?: string
  readonly reachable?: string
  /** Omitted if it equals whether any endpoint is reachable. */
  readonly hasEndpoints?: boolean
}

type Fields = Partial<Omit<Endpoint, 'hints'> & Endpoint['hints']>

function at(octet: number, ...fields: readonly Fields[]): Endpoint {
  const { zones: forZones = [], nodes: forNodes = [], ...rest }: Fields = Object.assign({}, ...fields)
  return endpoint({ ip: `10.1.2.${octet}`, hints: { zones: forZones, nodes: forNodes }, ...rest })
}

function zones(...names: readonly string[]): Fields {
  return { zones: names }
}

function nodes(...names: readonly string[]): Fields {
  return { nodes: names }
}

function octets(endpoints: readonly Endpoint[]): string {
  return endpoints.map(({ ip }) => ip.slice('10.1.2.'.length)).join(' ')
}

const FOUR_ZONED = [at(3, zones('zone-a')), at(4, zones('zone-b')), at(5, zones('zone-c')), at(6, zones('zone-a'))]
const LOCAL_ZONED = [
  at(3, LOCAL, zones('zone-a')),
  at(4, LOCAL, zones('zone-b')),
  at(5, zones('zone-c')),
  at(6, zones('zone-a')),
]
const NODE_HINTED = [
  at(3, zones('zone-a'), nodes('node1')),
  at(4, zones('zone-b'), nodes('node2')),
  at(5, zones('zone-a'), nodes('node3')),
]
const EXTERNAL_LOCAL = { externalPolicyLocal: true, nodePort: 8080 }
const INTERNAL_LOCAL = { internalPolicyLocal: true, nodePort: 8080 }
const BOTH_LOCAL = { ...EXTERNAL_LOCAL, ...INTERNAL_LOCAL }

// The cases of kube-proxy's TestCategorizeEndpoints.
const CASES: readonly Case[] = [
  {
    name: "uses only the endpoints of the node's zone if all have zone hints",
    node: ZONE_A,
    endpoints: FOUR_ZONED,
    cluster: '3 6',
  },
  {
    name: 'ignores zone hints if the Service does not use hints',
    service: { topologyHints: false },
    node: ZONE_A,
    endpoints: FOUR_ZONED,
    cluster: '3 4 5 6',
  },
  {
    name: 'ignores zone hints in the local list of external policy Local',
    service: EXTERNAL_LOCAL,
    node: ZONE_A,
    endpoints: LOCAL_ZONED,
    cluster: '3 6',
    local: '3 4',
    reachable: '3 4 6',
  },
  {
    name: 'ignores zone hints in the local list of internal policy Local',
    service: INTERNAL_LOCAL,
    node: ZONE_A,
    endpoints: LOCAL_ZONED,
    cluster: '3 6',
    local: '3 4',
    reachable: '3 4 6',
  },
  {
    name: 'ignores zone hints if the node has no zone',
    node: nodeFacts({ zone: '' }),
    endpoints: [at(3, zones('zone-a'))],
    cluster: '3',
  },
  {
    name: 'uses a hint for the zone with the empty name if the node has no zone',
    node: nodeFacts({ zone: '' }),
    endpoints: [at(3, zones('')), at(4, zones('zone-a'))],
    cluster: '3',
  },
  {
    name: 'ignores a hint for the zone with the empty name if a ready endpoint has no hint',
    node: nodeFacts({ zone: '' }),
    endpoints: [at(3, zones('')), at(4)],
    cluster: '3 4',
  },
  {
    name: 'ignores a hint for the zone with the empty name if the node has no zone, in versions before 1.33',
    features: { emptyZoneHints: false },
    node: nodeFacts({ zone: '' }),
    endpoints: [at(3, zones('')), at(4, zones('zone-a'))],
    cluster: '3 4',
  },
  {
    name: 'ignores zone hints if no endpoint has a hint for the zone of the node',
    node: nodeFacts({ zone: 'zone-b' }),
    endpoints: [at(3, zones('zone-a'))],
    cluster: '3',
  },
  {
    name: 'omits an unready endpoint with a hint for the zone of the node',
    node: ZONE_A,
    endpoints: [at(3, zones('zone-a')), at(4, zones('zone-b')), at(6, zones('zone-a'), UNREADY)],
    cluster: '3',
  },
  {
    name: 'uses zone hints although an unready endpoint has none',
    node: ZONE_A,
    endpoints: [at(3, zones('zone-a')), at(4, zones('zone-b')), at(6, UNREADY)],
    cluster: '3',
  },
  {
    name: 'ignores zone hints if all endpoints for the zone are unready',
    node: ZONE_A,
    endpoints: [
      at(3, zones('zone-a'), UNREADY),
      at(4, zones('zone-b')),
      at(5, zones('zone-c')),
      at(6, zones('zone-a'), UNREADY),
    ],
    cluster: '4 5',
  },
  {
    name: 'ignores zone hints if a ready endpoint has none',
    node: ZONE_A,
    endpoints: [at(3, zones('zone-a')), at(4, zones('zone-b')), at(5), at(6, zones('zone-a'))],
    cluster: '3 4 5 6',
  },
  {
    name: 'uses an endpoint in each of the zones of its hints',
    node: nodeFacts({ zone: 'zone-c' }),
    endpoints: [
      at(3, zones('zone-a', 'zone-b', 'zone-c')),
      at(4, zones('zone-b', 'zone-c')),
      at(5, zones('zone-b', 'zone-d')),
      at(6, zones('zone-c')),
    ],
    cluster: '3 4 6',
  },
  {
    name: 'uses zone hints if the version does not support node hints',
    node: ZONE_A,
    features: { nodeHints: false },
    endpoints: NODE_HINTED,
    cluster: '3 5',
  },
  { name: 'uses node hints before zone hints', node: ZONE_A, endpoints: NODE_HINTED, cluster: '3' },
  {
    name: 'uses node hints if there are no zone hints',
    endpoints: [at(3, nodes('node1')), at(4, nodes('node1', 'node2')), at(5, nodes('node2'))],
    cluster: '3 4',
  },
  {
    name: 'ignores node hints if an endpoint has no hints',
    endpoints: [at(3, nodes('node1')), at(4)],
    cluster: '3 4',
  },
  {
    name: 'uses zone hints if no endpoint has a hint for the node',
    node: nodeFacts({ name: 'node9', zone: 'zone-b' }),
    endpoints: NODE_HINTED,
    cluster: '4',
  },
  {
    name: 'ignores a hint for the empty node name if the node has no name',
    node: nodeFacts({ name: '' }),
    endpoints: [at(3, nodes('')), at(4, nodes('node1'))],
    cluster: '3 4',
  },
  {
    name: 'ignores node hints if the Service does not use hints',
    service: { topologyHints: false },
    node: ZONE_A,
    endpoints: NODE_HINTED,
    cluster: '3 4 5',
  },
  {
    name: 'returns different cluster and local lists if zones and nodes of endpoints disagree',
    service: EXTERNAL_LOCAL,
    node: ZONE_A,
    endpoints: [
      at(0, LOCAL, zones('zone-a')),
      at(1, LOCAL, zones('zone-b')),
      at(2, zones('zone-a')),
      at(3, zones('zone-b')),
    ],
    cluster: '0 2',
    local: '0 1',
    reachable: '0 1 2',
  },
  {
    name: 'returns no endpoints for internal policy Local without endpoints',
    service: { internalPolicyLocal: true },
    endpoints: [],
    cluster: '',
  },
  {
    name: 'returns no endpoints for internal policy Local if all are remote',
    service: { internalPolicyLocal: true },
    endpoints: [at(0), at(1)],
    cluster: '',
    hasEndpoints: true,
  },
  {
    name: 'returns local endpoints for internal policy Local if all are local',
    service: { internalPolicyLocal: true },
    endpoints: [at(0, LOCAL), at(1, LOCAL)],
    cluster: '',
    local: '0 1',
    reachable: '0 1',
  },
  {
    name: 'returns local endpoints for internal policy Local if some are local',
    service: { internalPolicyLocal: true },
    endpoints: [at(0, LOCAL), at(1)],
    cluster: '',
    local: '0',
    reachable: '0',
  },
  {
    name: 'returns no endpoints for policy Cluster if none is ready',
    endpoints: [at(0, UNREADY), at(1, UNREADY)],
    cluster: '',
  },
  {
    name: 'returns the ready endpoints for policy Cluster if some are ready',
    endpoints: [at(0, UNREADY), at(1)],
    cluster: '1',
  },
  {
    name: 'returns terminating endpoints for policy Cluster if all are terminating',
    endpoints: [at(0, TERMINATING, LOCAL), at(1, TERMINATING)],
    cluster: '0 1',
  },
  {
    name: 'ignores zone hints for policy Cluster if all endpoints are terminating',
    node: ZONE_A,
    endpoints: [at(0, TERMINATING, zones('zone-a')), at(1, TERMINATING, zones('zone-b'))],
    cluster: '0 1',
  },
  {
    name: 'omits a terminating endpoint for policy Cluster if another one is ready',
    endpoints: [at(0), at(1, TERMINATING)],
    cluster: '0',
  },
  {
    name: 'treats an endpoint that is ready and terminating as ready',
    endpoints: [at(0, { terminating: true })],
    cluster: '0',
  },
  {
    name: 'omits a terminating endpoint that does not serve',
    endpoints: [at(0, TERMINATING, { serving: false }), at(1, TERMINATING)],
    cluster: '1',
  },
  {
    name: 'omits an endpoint that serves and is neither ready nor terminating',
    endpoints: [at(0, { ready: false })],
    cluster: '',
    hasEndpoints: false,
  },
  {
    name: 'returns both lists for internal policy Local and external policy Cluster',
    service: INTERNAL_LOCAL,
    endpoints: [at(0, LOCAL), at(1)],
    cluster: '0 1',
    local: '0',
  },
  {
    name: 'returns both lists for internal policy Cluster and external policy Local',
    service: EXTERNAL_LOCAL,
    endpoints: [at(0, LOCAL), at(1)],
    cluster: '0 1',
    local: '0',
  },
  {
    name: 'returns both lists if both policies are Local',
    service: BOTH_LOCAL,
    endpoints: [at(0, LOCAL), at(1)],
    cluster: '0 1',
    local: '0',
  },
  {
    name: 'returns only the cluster list if both policies are Local and all endpoints are remote',
    service: BOTH_LOCAL,
    endpoints: [at(0), at(1)],
    cluster: '0 1',
  },
  {
    name: 'returns terminating endpoints in the cluster list if both policies are Local and all are remote',
    service: BOTH_LOCAL,
    endpoints: [at(0, TERMINATING), at(1, TERMINATING)],
    cluster: '0 1',
    hasEndpoints: true,
  },
  {
    name: 'uses terminating endpoints only in the local list if only it has no ready ones',
    service: EXTERNAL_LOCAL,
    endpoints: [at(0), at(1, UNREADY, LOCAL), at(2, TERMINATING, LOCAL), at(3, TERMINATING)],
    cluster: '0',
    local: '2',
    reachable: '0 2',
  },
  {
    name: 'returns the ready endpoints of both lists for external policy Local if one is unready',
    service: EXTERNAL_LOCAL,
    endpoints: [at(0), at(1, LOCAL), at(2, UNREADY)],
    cluster: '0 1',
    local: '1',
  },
  {
    name: 'returns no local list for external policy Local without external addresses and node port',
    service: { externalPolicyLocal: true },
    endpoints: [at(0), at(1, LOCAL)],
    cluster: '0 1',
  },
  {
    name: 'returns no cluster list for internal policy Local without external addresses and node port',
    service: { internalPolicyLocal: true },
    endpoints: [at(0), at(1, LOCAL)],
    cluster: '',
    local: '1',
    reachable: '1',
  },
]

describe('categorizeEndpoints', () => {
  it.each(CASES)('$name', (given) => {
    const port = servicePort({ ...given.service, endpoints: given.endpoints })
    const result = categorizeEndpoints(port, given.node ?? nodeFacts(), features(given.features))
    const reachable = given.reachable ?? given.cluster
    expect({
      cluster: octets(result.cluster),
      local: octets(result.local),
      reachable: octets(result.reachable),
      hasEndpoints: result.hasEndpoints,
    }).toEqual({
      cluster: given.cluster,
      local: given.local ?? '',
      reachable,
      hasEndpoints: given.hasEndpoints ?? reachable !== '',
    })
  })

  it('returns the identical list of endpoints if all are ready and hints do not apply', () => {
    const port = servicePort({ endpoints: [at(0), at(1)] })
    const { cluster, reachable } = categorizeEndpoints(port, nodeFacts(), features())
    expect(cluster).toBe(port.endpoints)
    expect(reachable).toBe(port.endpoints)
  })

  it('returns one list as cluster and reachable endpoints if it contains all local endpoints', () => {
    const port = servicePort({ ...EXTERNAL_LOCAL, endpoints: [at(0), at(1, LOCAL), at(2, UNREADY)] })
    const { cluster, reachable } = categorizeEndpoints(port, nodeFacts(), features())
    expect(reachable).toBe(cluster)
  })

  it('sorts the reachable endpoints by their text', () => {
    const endpoints = [
      at(10, zones('zone-b'), LOCAL),
      at(1, zones('zone-a')),
      at(2, zones('zone-a')),
      at(11, zones('zone-b'), LOCAL),
    ]
    const port = servicePort({ ...EXTERNAL_LOCAL, endpoints })
    const { reachable } = categorizeEndpoints(port, ZONE_A, features())
    expect(reachable.map(({ text }) => text)).toEqual(['10.1.2.10:80', '10.1.2.11:80', '10.1.2.1:80', '10.1.2.2:80'])
  })
})

describe('the endpoint lists that a service port uses', () => {
  const paths = [{ nodePort: 30080 }, { externalIPs: ['192.168.99.22'] }, { loadBalancerIPs: ['1.2.3.4'] }]

  function uses(fields: Partial<ServicePort>): string {
    const port = servicePort(fields)
    return [usesClusterEndpoints(port) && 'cluster', usesLocalEndpoints(port) && 'local'].filter(Boolean).join(' ')
  }

  it.each([
    [false, false, 'cluster'],
    [false, true, 'cluster'],
    [true, false, 'local'],
    [true, true, 'local'],
  ])(
    'for a Service with only a cluster IP (internal policy Local: %s, external: %s) are: %s',
    (internal, external, expected) => {
      expect(uses({ internalPolicyLocal: internal, externalPolicyLocal: external })).toBe(expected)
    },
  )

  it.each([
    [false, false, 'cluster'],
    [false, true, 'cluster local'],
    [true, false, 'cluster local'],
    [true, true, 'cluster local'],
  ])(
    'for an external frontend with internal Local %s and external Local %s are: %s',
    (internal, external, expected) => {
      for (const path of paths) {
        expect(uses({ ...path, internalPolicyLocal: internal, externalPolicyLocal: external })).toBe(expected)
      }
    },
  )
})

describe('categorizeEndpoints for an arbitrary service port', () => {
  const hint = fc.constantFrom('zone-a', 'zone-b', 'node1', 'node2')
  const anyEndpoints = fc.uniqueArray(
    fc.record({
      ip: fc.integer({ min: 1, max: 30 }).map((octet) => `10.1.2.${octet}`),
      ready: fc.boolean(),
      serving: fc.boolean(),
      terminating: fc.boolean(),
      local: fc.boolean(),
      hints: fc.record({
        zones: fc.uniqueArray(hint, { maxLength: 2 }),
        nodes: fc.uniqueArray(hint, { maxLength: 2 }),
      }),
    }),
    { selector: ({ ip }) => ip, maxLength: 8 },
  )
  const anyPort = fc
    .record({
      endpoints: anyEndpoints.map((all) => all.map(endpoint)),
      internalPolicyLocal: fc.boolean(),
      externalPolicyLocal: fc.boolean(),
      topologyHints: fc.boolean(),
      nodePort: fc.constantFrom(0, 30080),
    })
    .map(servicePort)
  const anyFeatures = fc.boolean().map((nodeHints) => features({ nodeHints }))

  it('returns as reachable endpoints the union of cluster and local endpoints, in order and without duplicates', () => {
    fc.assert(
      fc.property(anyPort, anyFeatures, (port, known) => {
        const { cluster, local, reachable } = categorizeEndpoints(port, ZONE_A, known)
        const union = port.endpoints.filter((each) => cluster.includes(each) || local.includes(each))
        expect(reachable).toEqual(union)
      }),
    )
  })

  it('returns only endpoints that are ready or that serve while they terminate', () => {
    fc.assert(
      fc.property(anyPort, anyFeatures, (port, known) => {
        const { reachable } = categorizeEndpoints(port, ZONE_A, known)
        for (const { ready, serving, terminating } of reachable) expect(ready || (serving && terminating)).toBe(true)
      }),
    )
  })

  it('never returns ready and terminating endpoints in the same list', () => {
    fc.assert(
      fc.property(anyPort, anyFeatures, (port, known) => {
        const { cluster, local } = categorizeEndpoints(port, ZONE_A, known)
        for (const list of [cluster, local]) expect(new Set(list.map(({ ready }) => ready)).size).toBeLessThan(2)
      }),
    )
  })

  it('returns cluster endpoints if and only if there are usable endpoints and a policy uses them', () => {
    fc.assert(
      fc.property(anyPort, anyFeatures, (port, known) => {
        const { cluster, hasEndpoints } = categorizeEndpoints(port, ZONE_A, known)
        expect(cluster.length > 0).toBe(hasEndpoints && usesClusterEndpoints(port))
      }),
    )
  })
})
