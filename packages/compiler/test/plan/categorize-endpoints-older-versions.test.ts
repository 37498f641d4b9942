import { describe, expect, it } from 'vitest'
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

/** Returns the pools and whether there are endpoints, as in 1.23. */
function limited(fields: Partial<ServicePort>, endpoints: readonly Endpoint[], node: Partial<NodeFacts> = {}) {
  const port = servicePort({ ...fields, endpoints })
  const older = features({ internalPolicyOfAllTraffic: true })
  const { cluster, local, hasEndpoints } = categorizeEndpoints(port, nodeFacts(node), older)
  return [cluster, local, hasEndpoints]
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
