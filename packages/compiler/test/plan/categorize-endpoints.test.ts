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
  { name: 'all hinted: only the own zone', node: ZONE_A, endpoints: FOUR_ZONED, cluster: '3 6' },
  {
    name: 'hints may not be used for the service',
    service: { topologyHints: false },
    node: ZONE_A,
    endpoints: FOUR_ZONED,
    cluster: '3 4 5 6',
  },
  {
    name: 'external Local: hints do not touch the local list',
    service: EXTERNAL_LOCAL,
    node: ZONE_A,
    endpoints: LOCAL_ZONED,
    cluster: '3 6',
    local: '3 4',
    reachable: '3 4 6',
  },
  {
    name: 'internal Local with a node port: hints do not touch the local list',
    service: INTERNAL_LOCAL,
    node: ZONE_A,
    endpoints: LOCAL_ZONED,
    cluster: '3 6',
    local: '3 4',
    reachable: '3 4 6',
  },
  { name: 'node without zone', node: nodeFacts({ zone: '' }), endpoints: [at(3, zones('zone-a'))], cluster: '3' },
  {
    name: 'node without zone, endpoint hinted for the empty zone',
    node: nodeFacts({ zone: '' }),
    endpoints: [at(3, zones('')), at(4, zones('zone-a'))],
    cluster: '3 4',
  },
  {
    name: 'node in a zone nobody is hinted for',
    node: nodeFacts({ zone: 'zone-b' }),
    endpoints: [at(3, zones('zone-a'))],
    cluster: '3',
  },
  {
    name: 'unready endpoint in the own zone',
    node: ZONE_A,
    endpoints: [at(3, zones('zone-a')), at(4, zones('zone-b')), at(6, zones('zone-a'), UNREADY)],
    cluster: '3',
  },
  {
    name: 'unready endpoint without hints does not count',
    node: ZONE_A,
    endpoints: [at(3, zones('zone-a')), at(4, zones('zone-b')), at(6, UNREADY)],
    cluster: '3',
  },
  {
    name: 'only unready endpoints in the own zone',
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
    name: 'one ready endpoint without hints',
    node: ZONE_A,
    endpoints: [at(3, zones('zone-a')), at(4, zones('zone-b')), at(5), at(6, zones('zone-a'))],
    cluster: '3 4 5 6',
  },
  {
    name: 'several zones for one endpoint',
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
    name: 'node hints of a version that does not know them',
    node: ZONE_A,
    features: { nodeHints: false },
    endpoints: NODE_HINTED,
    cluster: '3 5',
  },
  { name: 'node hints go before zone hints', node: ZONE_A, endpoints: NODE_HINTED, cluster: '3' },
  {
    name: 'node hints without zone hints',
    endpoints: [at(3, nodes('node1')), at(4, nodes('node1', 'node2')), at(5, nodes('node2'))],
    cluster: '3 4',
  },
  {
    name: 'some without node hints, no zone hints',
    endpoints: [at(3, nodes('node1')), at(4)],
    cluster: '3 4',
  },
  {
    name: 'no endpoint for the node: by zone',
    node: nodeFacts({ name: 'node9', zone: 'zone-b' }),
    endpoints: NODE_HINTED,
    cluster: '4',
  },
  {
    name: 'node without name, endpoint hinted for the empty name',
    node: nodeFacts({ name: '' }),
    endpoints: [at(3, nodes('')), at(4, nodes('node1'))],
    cluster: '3 4',
  },
  {
    name: 'hints may not be used for the service, node hints neither',
    service: { topologyHints: false },
    node: ZONE_A,
    endpoints: NODE_HINTED,
    cluster: '3 4 5',
  },
  {
    name: 'topology and locality disagree',
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
  { name: 'internal Local: no endpoints', service: { internalPolicyLocal: true }, endpoints: [], cluster: '' },
  {
    name: 'internal Local: all remote',
    service: { internalPolicyLocal: true },
    endpoints: [at(0), at(1)],
    cluster: '',
    hasEndpoints: true,
  },
  {
    name: 'internal Local: all local',
    service: { internalPolicyLocal: true },
    endpoints: [at(0, LOCAL), at(1, LOCAL)],
    cluster: '',
    local: '0 1',
    reachable: '0 1',
  },
  {
    name: 'internal Local: some local',
    service: { internalPolicyLocal: true },
    endpoints: [at(0, LOCAL), at(1)],
    cluster: '',
    local: '0',
    reachable: '0',
  },
  { name: 'Cluster: none ready', endpoints: [at(0, UNREADY), at(1, UNREADY)], cluster: '' },
  { name: 'Cluster: some ready', endpoints: [at(0, UNREADY), at(1)], cluster: '1' },
  { name: 'Cluster: all terminating', endpoints: [at(0, TERMINATING, LOCAL), at(1, TERMINATING)], cluster: '0 1' },
  {
    name: 'Cluster: all terminating, topology does not matter',
    node: ZONE_A,
    endpoints: [at(0, TERMINATING, zones('zone-a')), at(1, TERMINATING, zones('zone-b'))],
    cluster: '0 1',
  },
  { name: 'Cluster: terminating next to ready', endpoints: [at(0), at(1, TERMINATING)], cluster: '0' },
  { name: 'Cluster: ready and terminating is ready', endpoints: [at(0, { terminating: true })], cluster: '0' },
  {
    name: 'Cluster: terminating and not serving',
    endpoints: [at(0, TERMINATING, { serving: false }), at(1, TERMINATING)],
    cluster: '1',
  },
  {
    name: 'Cluster: serving, neither ready nor terminating',
    endpoints: [at(0, { ready: false })],
    cluster: '',
    hasEndpoints: false,
  },
  {
    name: 'internal Local, external Cluster: some local',
    service: INTERNAL_LOCAL,
    endpoints: [at(0, LOCAL), at(1)],
    cluster: '0 1',
    local: '0',
  },
  {
    name: 'internal Cluster, external Local: some local',
    service: EXTERNAL_LOCAL,
    endpoints: [at(0, LOCAL), at(1)],
    cluster: '0 1',
    local: '0',
  },
  {
    name: 'both Local: some local',
    service: BOTH_LOCAL,
    endpoints: [at(0, LOCAL), at(1)],
    cluster: '0 1',
    local: '0',
  },
  { name: 'both Local: all remote', service: BOTH_LOCAL, endpoints: [at(0), at(1)], cluster: '0 1' },
  {
    name: 'both Local: all remote and terminating',
    service: BOTH_LOCAL,
    endpoints: [at(0, TERMINATING), at(1, TERMINATING)],
    cluster: '0 1',
    hasEndpoints: true,
  },
  {
    name: 'external Local: terminating endpoints fall back for the local list only',
    service: EXTERNAL_LOCAL,
    endpoints: [at(0), at(1, UNREADY, LOCAL), at(2, TERMINATING, LOCAL), at(3, TERMINATING)],
    cluster: '0',
    local: '2',
    reachable: '0 2',
  },
  {
    name: 'external Local: some unready, all usable ones in the cluster list',
    service: EXTERNAL_LOCAL,
    endpoints: [at(0), at(1, LOCAL), at(2, UNREADY)],
    cluster: '0 1',
    local: '1',
  },
  {
    name: 'external Local without a way in from outside',
    service: { externalPolicyLocal: true },
    endpoints: [at(0), at(1, LOCAL)],
    cluster: '0 1',
  },
  {
    name: 'internal Local only: no cluster list',
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

  it('returns the identical list of endpoints if all are ready and no topology applies', () => {
    const port = servicePort({ endpoints: [at(0), at(1)] })
    const { cluster, reachable } = categorizeEndpoints(port, nodeFacts(), features())
    expect(cluster).toBe(port.endpoints)
    expect(reachable).toBe(port.endpoints)
  })

  it('returns the cluster list as the reachable one if it contains the local endpoints', () => {
    const port = servicePort({ ...EXTERNAL_LOCAL, endpoints: [at(0), at(1, LOCAL), at(2, UNREADY)] })
    const { cluster, reachable } = categorizeEndpoints(port, nodeFacts(), features())
    expect(reachable).toBe(cluster)
  })

  it('orders the union by the text of the endpoints', () => {
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

describe('usesClusterEndpoints and usesLocalEndpoints', () => {
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
  ])('of only a cluster IP, internal Local %s, external Local %s: %s', (internal, external, expected) => {
    expect(uses({ internalPolicyLocal: internal, externalPolicyLocal: external })).toBe(expected)
  })

  it.each([
    [false, false, 'cluster'],
    [false, true, 'cluster local'],
    [true, false, 'cluster local'],
    [true, true, 'cluster local'],
  ])('of an external frontend, internal Local %s, external Local %s: %s', (internal, external, expected) => {
    for (const path of paths) {
      expect(uses({ ...path, internalPolicyLocal: internal, externalPolicyLocal: external })).toBe(expected)
    }
  })
})

describe('categorizeEndpoints', () => {
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

  it('reaches exactly the union of both lists, in order and without duplicates', () => {
    fc.assert(
      fc.property(anyPort, anyFeatures, (port, known) => {
        const { cluster, local, reachable } = categorizeEndpoints(port, ZONE_A, known)
        const union = port.endpoints.filter((each) => cluster.includes(each) || local.includes(each))
        expect(reachable).toEqual(union)
      }),
    )
  })

  it('never uses an endpoint that is neither ready nor serving while it terminates', () => {
    fc.assert(
      fc.property(anyPort, anyFeatures, (port, known) => {
        const { reachable } = categorizeEndpoints(port, ZONE_A, known)
        for (const { ready, serving, terminating } of reachable) expect(ready || (serving && terminating)).toBe(true)
      }),
    )
  })

  it('never mixes ready and terminating endpoints in one list', () => {
    fc.assert(
      fc.property(anyPort, anyFeatures, (port, known) => {
        const { cluster, local } = categorizeEndpoints(port, ZONE_A, known)
        for (const list of [cluster, local]) expect(new Set(list.map(({ ready }) => ready)).size).toBeLessThan(2)
      }),
    )
  })

  it('returns cluster endpoints if the service port has usable endpoints and a policy uses them', () => {
    fc.assert(
      fc.property(anyPort, anyFeatures, (port, known) => {
        const { cluster, hasEndpoints } = categorizeEndpoints(port, ZONE_A, known)
        expect(cluster.length > 0).toBe(hasEndpoints && usesClusterEndpoints(port))
      }),
    )
  })
})
