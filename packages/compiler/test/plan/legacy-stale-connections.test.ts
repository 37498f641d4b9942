import type { Protocol } from '@kube-rules/types'
import { describe, expect, it } from 'vitest'
import { featuresOf } from '../../src/model/configuration/features.js'
import type { ProxyMode } from '../../src/model/configuration/versions.js'
import type { Endpoint } from '../../src/model/endpoints/endpoint.js'
import type { NodeFacts } from '../../src/model/node/node-facts.js'
import type { Plan } from '../../src/plan/plan.js'
import { findStaleConnections } from '../../src/plan/stale-connections.js'
import { buildPlan } from '../support/build-plan.js'
import { endpoint, model, nodeFacts, servicePort, settings } from '../support/model-builder.js'

const [ONE, TWO] = [endpoint({ ip: '10.1.0.1', port: 53 }), endpoint({ ip: '10.1.0.2', port: 53 })]
const UNREADY = { ...ONE, ready: false, serving: true, terminating: true }

type Of = readonly [mode: ProxyMode, version: string]

/** Returns the plan of a UDP service port with every kind of frontend. */
function dns(
  [mode, version]: Of,
  endpoints: readonly Endpoint[],
  fields: Parameters<typeof servicePort>[0] = {},
  node: NodeFacts = nodeFacts(),
): Plan {
  const port = servicePort({
    ...{ protocol: 'UDP', clusterIP: '10.96.0.10', port: 53, nodePort: 30053 },
    ...{ externalIPs: ['198.51.100.1'], loadBalancerIPs: ['203.0.113.9'], endpoints },
    ...fields,
  })
  const features = featuresOf(mode, version, new Map())
  return buildPlan(model({ servicePorts: [port], settings: settings({ features }), node }))
}

function stale(before: Plan | undefined, after: Plan): readonly string[] {
  return findStaleConnections(before, after).map(({ protocol: _, ...rest }) => Object.values(rest).join(' '))
}

const [CLUSTER, EXTERNAL, LB, PORT] = [
  'address 10.96.0.10',
  'address 198.51.100.1',
  'address 203.0.113.9',
  'nodePort 30053',
]

describe('the first endpoint of a service port', () => {
  it.each<[ProxyMode, string, readonly string[]]>([
    ['iptables', '1.28', [CLUSTER, EXTERNAL, LB, PORT]],
    ['iptables', '1.23', [CLUSTER, EXTERNAL, LB, PORT]],
    ['iptables', '1.22', [CLUSTER, EXTERNAL, PORT]],
    ['iptables', '1.20', [CLUSTER, EXTERNAL]],
    ['ipvs', '1.27', [CLUSTER, EXTERNAL, LB, PORT]],
    ['ipvs', '1.23', [CLUSTER, EXTERNAL, LB]],
  ])('makes the connections to the expected frontends stale in %s mode of %s', (mode, version, expected) => {
    expect(stale(dns([mode, version], []), dns([mode, version], [ONE]))).toEqual(expected)
  })

  it('makes connections stale in any state before 1.23, but from 1.23 to 1.28 only if it is ready', () => {
    expect(stale(dns(['iptables', '1.28'], []), dns(['iptables', '1.28'], [UNREADY]))).toEqual([])
    expect(stale(dns(['iptables', '1.22'], []), dns(['iptables', '1.22'], [UNREADY]))).not.toEqual([])
  })
})

describe('a removed endpoint', () => {
  const lost = ([kind, ...at]: readonly string[]) => `${kind}AndEndpoint ${at.join(' ')} 10.1.0.1`
  const toAll = [CLUSTER, EXTERNAL, LB, PORT].map((each) => lost(each.split(' ')))

  it.each<[ProxyMode, string, readonly string[]]>([
    ['iptables', '1.28', toAll],
    ['iptables', '1.20', toAll],
    ['iptables', '1.19', toAll.slice(1)],
    ['ipvs', '1.27', toAll],
    ['ipvs', '1.23', toAll.slice(0, 3)],
  ])('makes its connections through the expected frontends stale in %s mode of %s', (mode, version, expected) => {
    expect(stale(dns([mode, version], [ONE, TWO]), dns([mode, version], [TWO]))).toEqual(expected)
  })

  it('makes connections through the cluster IP stale if there is no node port, even in 1.19', () => {
    const [before, after] = [[ONE, TWO], [TWO]].map((each) => dns(['iptables', '1.19'], each, { nodePort: 0 }))
    expect(stale(before, after as Plan)).toEqual(toAll.slice(0, 3))
  })

  it('makes its connections stale from version 1.23 on even if it only becomes unready', () => {
    const lostIn = (version: string) =>
      stale(dns(['iptables', version], [ONE, TWO]), dns(['iptables', version], [UNREADY, TWO]))
    expect(lostIn('1.28')).toEqual(toAll)
    expect(lostIn('1.22')).toEqual([])
  })
})

describe('a node port that no address of the node serves', () => {
  const nowhere = nodeFacts({ nodePorts: { all: false, addresses: [], containsLoopback: false } })
  const at = (version: string, endpoints: readonly Endpoint[]) => dns(['iptables', version], endpoints, {}, nowhere)
  const lost = 'nodePortAndEndpoint 30053 10.1.0.1'

  it.each(['1.18', '1.19', '1.22', '1.23', '1.28'])('has stale connections to a lost endpoint in %s', (version) => {
    expect(stale(at(version, [ONE, TWO]), at(version, [TWO]))).toContain(lost)
  })

  it('replaces the cluster IP as the destination of a lost endpoint in 1.19', () => {
    const toClusterIP = 'addressAndEndpoint 10.96.0.10 10.1.0.1'
    expect(stale(at('1.19', [ONE, TWO]), at('1.19', [TWO]))).not.toContain(toClusterIP)
    expect(stale(at('1.22', [ONE, TWO]), at('1.22', [TWO]))).toContain(toClusterIP)
  })

  it('is not opened', () => {
    expect(stale(undefined, at('1.20', []))).toEqual([])
  })
})

describe('a node port on addresses of the other family', () => {
  const others = (...otherFamilyAddresses: readonly string[]) =>
    nodeFacts({ nodePorts: { all: false, addresses: [], containsLoopback: false, otherFamilyAddresses } })
  const at = (...addresses: readonly string[]) => dns(['iptables', '1.18'], [], {}, others(...addresses))

  it('is opened once for each address', () => {
    expect(stale(undefined, at('fd00::2'))).toEqual([PORT])
    expect(stale(at('fd00::2'), at('fd00::2'))).toEqual([])
    expect(stale(at('fd00::2'), at('fd00::2', 'fd00::3'))).toEqual([PORT])
    expect(stale(undefined, at())).toEqual([])
  })
})

describe('a service port that changes its protocol', () => {
  const both = (version: string, before: Protocol, after: Protocol) =>
    stale(
      dns(['iptables', version], [ONE], { protocol: before }),
      dns(['iptables', version], [ONE], { protocol: after }),
    )

  it('has no stale connections up to 1.16, where its name identifies it', () => {
    expect(both('1.16', 'UDP', 'TCP')).toEqual([])
    expect(both('1.16', 'TCP', 'UDP')).toEqual([PORT])
  })

  it('is removed and added from 1.17 on', () => {
    expect(both('1.17', 'UDP', 'TCP')).toEqual([CLUSTER])
    expect(both('1.17', 'TCP', 'UDP')).toEqual([CLUSTER, EXTERNAL, PORT])
  })
})

describe('a node port', () => {
  it('has stale connections when it is opened, whether there are endpoints or not', () => {
    for (const of of [['iptables', '1.20'] as const, ['ipvs', '1.23'] as const]) {
      expect(stale(undefined, dns(of, []))).toEqual([PORT])
      expect(stale(dns(of, []), dns(of, []))).toEqual([])
      expect(stale(dns(of, [], { nodePort: 30054 }), dns(of, []))).toEqual([PORT])
    }
  })

  it('always has stale connections on served node addresses in ipvs mode of 1.24 to 1.26', () => {
    const of = ['ipvs', '1.26'] as const
    const withAddress = (plan: Plan): Plan => ({
      ...plan,
      nodePorts: { all: false, addresses: ['192.168.0.2'] },
    })
    const plan = withAddress(dns(of, [ONE]))
    expect(stale(plan, plan)).toEqual([PORT])
    expect(stale(plan, { ...plan, nodePorts: { all: false, addresses: ['127.0.0.1'] } })).toEqual([])
  })
})
