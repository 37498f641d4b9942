import type { Node } from '@kube-rules/types'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { CompileResult } from '../src/compilation/compile-result.js'
import { compile } from '../src/compile.js'
import { type CompileNodesOptions, compileNodes } from '../src/compile-nodes.js'
import { type Case, type Cluster, cases } from './support/clusters.js'
import { deepFreeze } from './support/compiled.js'
import { type History, histories } from './support/edits.js'
import { factsOf } from './support/facts-of.js'

/** Nodes as a cluster has them: in zones, with addresses of their own, some of which Services claim, and one that is in none. */
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

/** Of the Nodes given those that come first count. */
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

/** A history whose inputs have more nodes, now and then others. */
const nodeHistories: fc.Arbitrary<History> = fc
  .record({ history: histories, nodes: fc.array(moreNodes, { minLength: 1, maxLength: 6 }) })
  .map(({ history, nodes }) => ({
    ...history,
    inputs: history.inputs.map((input, index) => withNodes(input, nodes[Math.min(index, nodes.length - 1)] ?? [])),
  }))

describe('compileNodes', () => {
  it('gives for every node what compile gives', () => {
    fc.assert(
      fc.property(cases, moreNodes, nodeNames, ({ cluster, options }, nodes, names) => {
        const input = withNodes(cluster, nodes)
        const wanted = { ...nodesOptions(options), nodeNames: names }
        const results = resultsOf(input, wanted)
        expect([...results.keys()]).toEqual(names)
        expectSame(input, wanted, results)
      }),
      { numRuns: 60 },
    )
  })

  it('does so from the results before, of some nodes or of others', () => {
    fc.assert(
      fc.property(nodeHistories, fc.array(nodeNames, { minLength: 2, maxLength: 6 }), ({ inputs, options }, lists) => {
        let previous: Results = new Map()
        for (const [index, input] of inputs.entries()) {
          const wanted = { ...nodesOptions(options), nodeNames: lists[index % lists.length] ?? [], previous }
          const results = resultsOf(input, wanted)
          expectSame(input, wanted, results)
          previous = new Map([...previous, ...results])
        }
      }),
      { numRuns: 30 },
    )
  })

  it('gives results from which compile goes on, and diff', () => {
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
      { numRuns: 20 },
    )
  })
})
