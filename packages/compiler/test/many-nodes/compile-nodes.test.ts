import { DiagnosticsError, type Node, type SliceEndpoint } from '@kube-rules/types'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Cluster } from '../../../testing/src/arbitraries/cluster.js'
import { compile } from '../../src/compilation/compile.js'
import type { CompileInput, CompileResult } from '../../src/compilation/compile-result.js'
import { type CompileNodesOptions, compileNodes } from '../../src/many-nodes/compile-nodes.js'
import { PROXY_MODES } from '../../src/targets/modes.js'
import { type Case, cases } from '../support/clusters.js'
import { deepFreeze } from '../support/compiled.js'
import { type History, histories } from '../support/edits.js'
import { factsOf } from '../support/facts-of.js'
import { at, loadBalancer, service, slice } from '../support/objects.js'
import { isWhole, runs } from '../support/runs.js'

/**
 * Nodes of a typical cluster: in zones, with their own addresses, some of which are also Service addresses. One node
 * has no zone.
 */
const MORE_NODES: readonly Node[] = deepFreeze([
  {
    metadata: { name: 'node-2', labels: { 'topology.kubernetes.io/zone': 'z2' } },
    spec: { podCIDRs: ['10.244.2.0/24', 'fd00:244:2::/64'] },
    status: { addresses: [{ type: 'InternalIP', address: '192.0.2.1' }] },
  },
  {
    metadata: { name: 'node-4', labels: { 'topology.kubernetes.io/zone': 'z1' } },
    spec: { podCIDR: '10.244.4.0/24' },
    status: { addresses: [{ type: 'InternalIP', address: '10.96.0.1' }] },
  },
])

const moreNodes = fc.constantFrom<readonly Node[]>([], MORE_NODES, MORE_NODES.slice(1))
const nodeNames = fc
  .shuffledSubarray(['node-1', 'node-2', 'node-3', 'node-4', ''], { minLength: 1 })
  .map((names) => deepFreeze(names))

/** Adds Nodes; the first Node of a name counts. */
function withNodes(cluster: Cluster, nodes: readonly Node[]): Cluster {
  return { ...cluster, nodes: [...nodes, ...cluster.nodes] }
}

function nodesOptions({ mode, kubernetesVersion }: Case['options']): CompileNodesOptions {
  return { mode, kubernetesVersion }
}

type Results = ReadonlyMap<string, CompileResult>

function resultsOf(input: Cluster, options: CompileNodesOptions): Results {
  return new Map(Array.from(compileNodes(input, options), ({ nodeName, result }) => [nodeName, result]))
}

function expectSame(input: Cluster, { nodeNames: _, previous: __, ...options }: CompileNodesOptions, results: Results) {
  for (const [nodeName, result] of results) {
    expect(factsOf(result)).toEqual(factsOf(compile(input, { ...options, nodeName })))
  }
}

/** Reports whether two nodes share the plan of every service port. */
function haveSamePlans(a: CompileResult, b: CompileResult): boolean {
  const plansOf = ({ families }: CompileResult) => families.flatMap(({ plan }) => plan.services)
  const plans = plansOf(b)
  return plansOf(a).every((plan, index) => plan === plans[index])
}

/** Generates histories with additional nodes in the inputs, which change occasionally. */
const nodeHistories: fc.Arbitrary<History> = fc
  .record({ history: histories, nodes: fc.array(moreNodes, { minLength: 1, maxLength: 6 }) })
  .map(({ history, nodes }) => ({
    ...history,
    inputs: history.inputs.map((input, index) => withNodes(input, nodes[Math.min(index, nodes.length - 1)] ?? [])),
  }))

describe('compileNodes', () => {
  it('returns for every node the same result as compile', () => {
    const seen = { equivalents: 0, apart: 0 }
    fc.assert(
      fc.property(cases, moreNodes, nodeNames, ({ cluster, options }, nodes, names) => {
        const input = withNodes(cluster, nodes)
        const expected = { ...nodesOptions(options), nodeNames: names }
        const results = resultsOf(input, expected)
        expect([...results.keys()]).toEqual(names)
        expectSame(input, expected, results)
        const [first, ...others] = [...results.values()]
        for (const other of others) seen[first !== undefined && haveSamePlans(first, other) ? 'equivalents' : 'apart']++
      }),
      { numRuns: runs(30) },
    )
    if (isWhole) expect(seen.apart).toBeGreaterThan(5)
    if (isWhole) expect(seen.equivalents).toBeGreaterThan(0)
  })

  it('returns the same results as compile, even if the previous results contain other nodes', () => {
    fc.assert(
      fc.property(nodeHistories, fc.array(nodeNames, { minLength: 2, maxLength: 6 }), ({ inputs, options }, lists) => {
        let previous: Results = new Map()
        for (const [index, input] of inputs.entries()) {
          const expected = { ...nodesOptions(options), nodeNames: lists[index % lists.length] ?? [], previous }
          const results = resultsOf(input, expected)
          expectSame(input, expected, results)
          previous = new Map([...previous, ...results])
        }
      }),
      { numRuns: runs(12) },
    )
  })

  it('returns results that compile and diff accept as a previous result', () => {
    fc.assert(
      fc.property(nodeHistories, nodeNames, ({ inputs, options }, names) => {
        const [first, ...others] = inputs
        if (first === undefined) return
        for (const [nodeName, start] of resultsOf(first, { ...nodesOptions(options), nodeNames: names })) {
          let previous = start
          expect(compile(first, { ...options, nodeName, previous })).toBe(start)
          for (const input of others) {
            previous = compile(input, { ...options, nodeName, previous })
            expect(factsOf(previous)).toEqual(factsOf(compile(input, { ...options, nodeName })))
          }
        }
      }),
      { numRuns: runs(8) },
    )
  })
})

describe('a Service that depends on the node', () => {
  const zone = (name: string) => ({ 'topology.kubernetes.io/zone': name })
  const nodes: readonly Node[] = [
    {
      metadata: { name: 'node-1', labels: zone('z1') },
      status: { addresses: [{ type: 'InternalIP', address: '192.0.2.1' }] },
    },
    {
      metadata: { name: 'node-2', labels: zone('z2') },
      status: { addresses: [{ type: 'InternalIP', address: '192.0.2.2' }] },
    },
  ]
  const remote = { nodeName: 'node-9' }
  const endpoints = (one: Partial<SliceEndpoint>, two: Partial<SliceEndpoint>) =>
    at('10.244.1.1', '10.244.1.2').map((each, index) => ({ ...each, ...remote, ...(index === 0 ? one : two) }))
  const elsewhere = slice(endpoints({}, {}))

  const CASES: Readonly<Record<string, Partial<CompileInput>>> = {
    'an endpoint on one of them': {
      services: [service({ internalTrafficPolicy: 'Local' })],
      endpointSlices: [slice(endpoints({ nodeName: 'node-1' }, {}))],
    },
    'an endpoint of an Endpoints object on one of them': {
      services: [service({ internalTrafficPolicy: 'Local' })],
      endpointSlices: [],
      endpoints: [
        {
          metadata: { namespace: 'ns1', name: 'web' },
          subsets: [{ addresses: [{ ip: '10.244.1.1', nodeName: 'node-1' }], ports: [{ name: 'http', port: 8080 }] }],
        },
      ],
    },
    'a hint for one of them': {
      services: [service()],
      endpointSlices: [
        slice(endpoints({ hints: { forNodes: [{ name: 'node-1' }] } }, { hints: { forNodes: [{ name: 'node-3' }] } })),
      ],
    },
    'a hint for the zone of one of them': {
      services: [service()],
      endpointSlices: [
        slice(endpoints({ hints: { forZones: [{ name: 'z1' }] } }, { hints: { forZones: [{ name: 'z2' }] } })),
      ],
    },
    'an external IP that is the address of one of them': {
      services: [service({ externalIPs: ['192.0.2.1'] })],
      endpointSlices: [elsewhere],
    },
    'a load-balancer IP that is the address of one of them': {
      services: [{ ...loadBalancer(), status: { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } } }],
      endpointSlices: [elsewhere],
    },
    'a source range that contains the address of one of them': {
      services: [loadBalancer({ loadBalancerSourceRanges: ['192.0.2.1/32'] })],
      endpointSlices: [elsewhere],
    },
  }

  it.each(Object.entries(CASES))('gets different results on two nodes because of %s', (_, objects) => {
    const input = { services: [], nodes, ...objects } as Cluster
    for (const mode of PROXY_MODES) {
      const results = resultsOf(input, { mode })
      expectSame(input, { mode }, results)
      const [one, two] = [...results.values()].map((result) => ({ ...factsOf(result), families: [] }))
      expect(one).not.toEqual(two)
    }
  })

  it('has its own plan on each node, while other Services share their plan and rules', () => {
    const input = { services: [service()], endpointSlices: [elsewhere], nodes } as unknown as Cluster
    const [one, two] = [...resultsOf(input, {}).values()].flatMap(({ families }) => families.slice(0, 1))
    expect(one?.plan.services[0]).toBe(two?.plan.services[0])
    expect(one?.state.iptables?.tables[1]?.blocks).toBe(two?.state.iptables?.tables[1]?.blocks)
  })

  it('has equal rules on all nodes if local endpoints do not affect the rules', () => {
    const input = { services: [service()], endpointSlices: [slice(endpoints({ nodeName: 'node-1' }, {}))], nodes }
    const [one, two] = [...resultsOf(input as unknown as Cluster, {}).values()].flatMap(
      ({ families }) => families[0] ?? [],
    )
    expect(one?.plan.services[0]).not.toEqual(two?.plan.services[0])
    expect(one?.state.iptables?.tables[1]?.blocks).toEqual(two?.state.iptables?.tables[1]?.blocks)
  })

  const web = (name: string, clusterIP: string) => service({ clusterIP }, { metadata: { namespace: 'ns1', name } })
  const local = { ...slice(endpoints({ nodeName: 'node-1' }, {})) }

  it('keeps its position if Services that do not depend on the node are inserted before it', () => {
    const first = {
      services: [service({ internalTrafficPolicy: 'Local' })],
      endpointSlices: [local],
      nodes,
      host: { proxyPorts: { 'ns1/a:http': 40001, 'ns1/web:http': 40002 } },
    } as unknown as Cluster
    const next = { ...first, services: [web('a', '10.96.0.7'), ...first.services] }
    for (const mode of PROXY_MODES) {
      expectSame(next, { mode }, resultsOf(next, { mode, previous: resultsOf(first, { mode }) }))
    }
  })

  it('keeps its claimed address if a slice loses the remote duplicate of a local endpoint', () => {
    const twice = (ready: boolean) =>
      slice(endpoints({ conditions: { ready } }, { addresses: ['10.244.1.1'], nodeName: 'node-1' }))
    const [one, two] = ['10.96.0.7', '10.96.0.8'].map((ip, index) =>
      service(
        { clusterIP: ip, externalIPs: ['198.51.100.1'] },
        { metadata: { namespace: 'ns1', name: `web${index || ''}` } },
      ),
    )
    const inputOf = (services: readonly (typeof one)[], ready: boolean) =>
      ({ services, endpointSlices: [twice(ready)], nodes }) as unknown as Cluster
    const options = { kubernetesVersion: '1.30' }
    const first = resultsOf(inputOf([one, two], true), options)
    const second = resultsOf(inputOf([structuredClone(one), two], false), { ...options, previous: first })
    expectSame(inputOf([one, two], false), options, second)
    const left = inputOf([two], false)
    for (const [nodeName, previous] of second) {
      expect(factsOf(compile(left, { ...options, nodeName, previous }))).toEqual(
        factsOf(compile(left, { ...options, nodeName })),
      )
    }
  })

  it('is recompiled if other endpoints make the cluster a large cluster', () => {
    const many = (count: number) =>
      slice(at(...Array.from({ length: count }, (_, index) => `10.245.${index >> 8}.${index & 255}`)), {
        name: 'b-1',
        service: 'b',
      })
    const inputOf = (count: number) =>
      ({
        services: [service({ internalTrafficPolicy: 'Local' }), web('b', '10.96.0.7')],
        endpointSlices: [local, many(count)],
        nodes,
      }) as unknown as Cluster
    let previous = resultsOf(inputOf(10), {})
    for (const count of [1_000, 11]) {
      const results = resultsOf(inputOf(count), { previous })
      expectSame(inputOf(count), {}, results)
      previous = results
    }
  })
})

it('compileNodes ignores an endpoint with an invalid zone hint, as compile does', () => {
  const name = { toString: 0, valueOf: 0 } as unknown as string
  const [good, bad] = at('10.244.1.1', '10.244.1.2')
  const input = {
    services: [service()],
    endpointSlices: [slice([{ ...good }, { ...bad, hints: { forNodes: [{ name }] } }] as SliceEndpoint[])],
    nodes: [{ metadata: { name: 'node-1' } }],
  }
  const [found] = compileNodes(input)
  const expected = compile(input, { nodeName: 'node-1' })
  expect(found && factsOf(found.result)).toEqual(factsOf(expected))
  expect(expected.diagnostics.map(({ path }) => path)).toContain('endpoints[1].hints.forNodes')
})

describe('compileNodes', () => {
  const input = {
    services: [service()],
    nodes: [{ metadata: { name: 'b' } }, { metadata: {} }, { metadata: { name: 'a' } }],
  }

  it('compiles every Node that has a name if no node names are specified', () => {
    expect(Array.from(compileNodes(input), ({ nodeName }) => nodeName)).toEqual(['b', 'a'])
    expect([...compileNodes({ services: [] })]).toEqual([])
  })

  it('returns the same results every time that it is iterated', () => {
    const nodesOfInput = compileNodes(input)
    const texts = () => Array.from(nodesOfInput, ({ result }) => factsOf(result))
    expect(texts()).toEqual(texts())
  })

  it('throws for invalid arguments on the call, before the iteration', () => {
    const rejected = { ...input, configuration: { clusterCIDR: 'x' } }
    expect(() => compileNodes(rejected)).toThrow(DiagnosticsError)
    expect(() => compileNodes({ ...input, services: 7 as never })).toThrow('services')
    expect(() => compileNodes(input, { families: [] })).toThrow('families')
    expect(() => compileNodes(input, { nodeNames: 'node-1' })).toThrow('nodeNames')
    expect(() => compileNodes(input, { nodeNames: ['a', 7 as never] })).toThrow('7 is not a text')
  })

  it('throws in strict mode when the iteration reaches the node with the error', () => {
    const turns = compileNodes(input, { strict: true, nodeNames: ['a', 'c'] })[Symbol.iterator]()
    expect(turns.next().value?.nodeName).toBe('a')
    expect(() => turns.next()).toThrow(DiagnosticsError)
  })

  it('compiles everything again if the configuration differs from the previous configuration', () => {
    const previous = resultsOf(input as unknown as Cluster, {})
    const other = { ...input, configuration: { iptables: { masqueradeAll: true }, clusterCIDR: '10.244.0.0/16' } }
    expectSame(other as unknown as Cluster, {}, resultsOf(other as unknown as Cluster, { previous }))
  })

  it('returns correct results for previous results of other nodes', () => {
    const cluster = {
      ...{ services: [service({ internalTrafficPolicy: 'Local' })], nodes: input.nodes },
      endpointSlices: [slice(at('10.244.1.1').map((endpoint) => ({ ...endpoint, nodeName: 'a' })))],
    } as unknown as Cluster
    const [a, b] = ['a', 'b'].map((name) => resultsOf(cluster, {}).get(name) as CompileResult)
    const confused = new Map([
      ['a', b as CompileResult],
      ['b', a as CompileResult],
    ])
    expectSame(cluster, {}, resultsOf(cluster, { previous: confused }))
  })

  it('returns the identical previous result if nothing has changed for a node', () => {
    const previous = resultsOf(input as unknown as Cluster, {})
    expect(resultsOf({ ...input, nodes: structuredClone(input.nodes) } as unknown as Cluster, { previous })).toEqual(
      previous,
    )
    const again = resultsOf({ ...input, nodes: structuredClone(input.nodes) } as unknown as Cluster, { previous })
    for (const [nodeName, result] of again) expect(result).toBe(previous.get(nodeName))
  })
})

it('compileNodes finds the local endpoints of each node even if no Service has them', () => {
  const orphan = slice([{ addresses: ['10.1.0.1'], nodeName: 'node-2' }], {
    ports: [{ name: 'dns', port: 53, protocol: 'UDP' }],
  })
  const nodes = ['node-1', 'node-2', 'node-3'].map((name): Node => ({ metadata: { name } }))
  const input = { services: [], endpointSlices: [orphan], nodes }
  const localOf = ({ families }: CompileResult) =>
    families.flatMap(({ plan }) =>
      plan.unassignedEndpoints.flatMap(({ endpoints }) => endpoints.map(({ local }) => local)),
    )
  const results = Array.from(compileNodes(input, { kubernetesVersion: '1.28' }), ({ result }) => localOf(result))
  expect(results).toEqual([[false], [true], [false]])
})
