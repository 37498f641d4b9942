import { describe, expect, it } from 'vitest'
import type { Features } from '../../src/model/configuration/features.js'
import type { Endpoint } from '../../src/model/endpoints/endpoint.js'
import type { NodeFacts } from '../../src/model/node/node-facts.js'
import type { ServicePort } from '../../src/model/services/service-port.js'
import { categorizeEndpoints } from '../../src/plan/categorize-endpoints.js'
import { endpoint, features, nodeFacts, servicePort } from '../support/model-builder.js'

const HOST = 'kubernetes.io/hostname'
const ZONE = 'topology.kubernetes.io/zone'

const [HERE, THERE] = [
  endpoint({ ip: '10.1.0.1', local: true, topology: new Map([[ZONE, 'a']]) }),
  endpoint({ ip: '10.1.0.2', topology: new Map([[ZONE, 'b']]) }),
]
const DRAINING = endpoint({ ip: '10.1.0.3', local: true, ready: false, terminating: true })
const DRAINING_THERE = endpoint({ ip: '10.1.0.4', ready: false, terminating: true })
const UNREADY = endpoint({ ip: '10.1.0.5', ready: false, topology: new Map([[ZONE, 'c']]) })

function withZones(given: Endpoint, zones: readonly string[]): Endpoint {
  return { ...given, hints: { zones, nodes: [] } }
}

/** Returns the pools and whether there are endpoints, as in 1.23 with these features. */
function limitedWith(
  given: Partial<Features>,
  fields: Partial<ServicePort>,
  endpoints: readonly Endpoint[],
  node: Partial<NodeFacts> = {},
) {
  const port = servicePort({ ...fields, endpoints })
  const older = features({ internalPolicyOfAllTraffic: true, terminatingEndpoints: false, nodeHints: false, ...given })
  const { cluster, local, reachable, hasEndpoints } = categorizeEndpoints(port, nodeFacts(node), older)
  return [cluster, local, hasEndpoints, reachable]
}

function limited(fields: Partial<ServicePort>, endpoints: readonly Endpoint[], node: Partial<NodeFacts> = {}) {
  return limitedWith({}, fields, endpoints, node).slice(0, 3)
}

describe('categorizeEndpoints up to version 1.23', () => {
  it('returns all ready endpoints, without terminating endpoints', () => {
    expect(limited({}, [HERE, THERE, DRAINING])).toEqual([[HERE, THERE], [], true])
    expect(limited({}, [DRAINING])).toEqual([[], [], false])
  })

  it('returns the endpoints on this node for all traffic if the internal policy is Local', () => {
    expect(limited({ internalPolicyLocal: true, nodePort: 30080 }, [HERE, THERE])).toEqual([[HERE], [], true])
    expect(limited({ internalPolicyLocal: true }, [THERE])).toEqual([[], [], false])
  })

  it('does not limit the endpoints if the external policy is Local, even if the internal policy is also Local', () => {
    const both = { internalPolicyLocal: true, externalPolicyLocal: true }
    expect(limited(both, [HERE, THERE])).toEqual([[HERE, THERE], [HERE], true])
    expect(limited({ externalPolicyLocal: true, topologyKeys: [HOST] }, [THERE])).toEqual([[THERE], [], true])
  })

  it.each([
    ['one has no hint', [], ['10.1.0.1', '10.1.0.2']],
    ['one has a hint for this zone', ['a'], ['10.1.0.1']],
  ])('takes hints of endpoints that are not ready into account: %s', (_, zones, expected) => {
    const hinted = [withZones(HERE, ['a']), withZones(THERE, ['b']), withZones(UNREADY, zones)]
    expect(limited({}, hinted, { zone: 'a' })[0]).toMatchObject(expected.map((ip) => ({ ip })))
  })

  it('returns no endpoint if only endpoints that are not ready have hints for this zone', () => {
    const hinted = [withZones(THERE, ['b']), withZones(UNREADY, ['a'])]
    expect(limited({}, hinted, { zone: 'a' })).toEqual([[], [], false])
  })

  it('uses topology keys before the internal policy and hints, even if there are no keys', () => {
    const hinted = [withZones(HERE, ['a']), withZones(THERE, ['b'])]
    expect(limited({ internalPolicyLocal: true, topologyKeys: [] }, hinted, { zone: 'a' })[0]).toEqual(hinted)
    const labels = new Map([[ZONE, 'b']])
    expect(limited({ internalPolicyLocal: true, topologyKeys: [ZONE] }, hinted, { labels })[0]).toEqual([hinted[1]])
  })

  it('uses the first topology key that an endpoint matches that is not ready', () => {
    const labels = new Map([[ZONE, 'c']])
    expect(limited({ topologyKeys: [ZONE, '*'] }, [HERE, UNREADY], { labels })).toEqual([[], [], false])
  })

  it.each<[readonly string[], readonly Endpoint[]]>([
    [[], [HERE, THERE]],
    [[ZONE], [HERE]],
    [[HOST], []],
    [[HOST, ZONE], [HERE]],
    [
      [HOST, '*'],
      [HERE, THERE],
    ],
    [
      ['*', ZONE],
      [HERE, THERE],
    ],
  ])('returns the endpoints that match the first applicable key of topologyKeys %j', (topologyKeys, expected) => {
    const labels = new Map([[ZONE, 'a']])
    expect(limited({ topologyKeys }, [HERE, THERE], { labels })[0]).toEqual(expected)
  })
})

describe('categorizeEndpoints in 1.22 and 1.23 with the gate ProxyTerminatingEndpoints', () => {
  const external = { externalPolicyLocal: true, nodePort: 30080 }
  const gated = (fields: Partial<ServicePort>, endpoints: readonly Endpoint[], ipvs = false) =>
    limitedWith({ terminatingEndpoints: true, internalPolicyBesideExternal: ipvs }, fields, endpoints)

  it('uses terminating endpoints on this node for the external policy Local only', () => {
    expect(gated(external, [THERE, DRAINING])).toEqual([[THERE], [DRAINING], true, [THERE, DRAINING]])
    expect(gated(external, [HERE, DRAINING])).toEqual([[HERE], [HERE], true, [HERE]])
    expect(gated({ nodePort: 30080 }, [DRAINING])).toEqual([[], [], false, []])
    expect(gated({ internalPolicyLocal: true }, [DRAINING])).toEqual([[], [], false, []])
  })

  it('has endpoints with the external policy Local if endpoints terminate on another node', () => {
    expect(gated(external, [DRAINING_THERE])).toEqual([[], [], true, []])
  })

  it('uses terminating endpoints for a cluster IP with the internal policy Local in ipvs mode', () => {
    expect(gated({ internalPolicyLocal: true }, [DRAINING], true)).toEqual([[], [DRAINING], true, [DRAINING]])
    expect(gated({ internalPolicyLocal: true }, [HERE, DRAINING], true)).toEqual([[HERE], [HERE], true, [HERE]])
    expect(gated({ internalPolicyLocal: true }, [DRAINING_THERE], true)).toEqual([[], [], false, []])
  })
})
