import { describe, expect, it } from 'vitest'
import { compile } from '../../src/compilation/compile.js'
import type { CompileInput } from '../../src/compilation/compile-result.js'
import { diff } from '../../src/diff/diff.js'
import { type ChangedNodesOptions, findChangedNodes } from '../../src/many-nodes/find-changed-nodes.js'
import { PROXY_MODES } from '../../src/targets/modes.js'
import { at, service, slice } from '../support/objects.js'

const NODES = ['node-1', 'node-2', 'node-3'].map((name) => ({ metadata: { name } }))

/** The Service `ns1/web`, which only has endpoints on node-2, and which only pods and processes on node-2 reach. */
function inputOf(addresses: readonly string[], nodes: CompileInput['nodes'] = NODES): CompileInput {
  const endpoints = at(...addresses).map((endpoint) => ({ ...endpoint, nodeName: 'node-2' }))
  return { services: [service({ internalTrafficPolicy: 'Local' })], endpointSlices: [slice(endpoints)], nodes }
}

function summarize(before: CompileInput, after: CompileInput, options: ChangedNodesOptions = {}): readonly string[] {
  const changed = findChangedNodes(before, after, { families: ['IPv4'], ...options })
  return Array.from(changed, ({ nodeName, lines }) => `${nodeName} ${lines}`)
}

describe('findChangedNodes', () => {
  const [ONE, TWO] = [inputOf(['10.244.1.1']), inputOf(['10.244.1.1', '10.244.1.2'])]

  it('finds the only node with an endpoint of a Service with policy Local', () => {
    // *nat, the chain of the endpoint, its two rules, the changed rule of the Service, its new rule, and COMMIT.
    expect(summarize(ONE, TWO)).toEqual(['node-2 7'])
    expect(summarize(ONE, inputOf(['10.244.1.1']))).toEqual([])
  })

  it('counts a command without standard input as one line', () => {
    // The real server is a line of ipvsadm, and its entry in KUBE-LOOP-BACK a line of ipset.
    expect(summarize(ONE, TWO, { mode: 'ipvs' })).toEqual(['node-2 2'])
  })

  it.each(PROXY_MODES.filter((mode) => mode !== 'userspace'))('reports new and removed nodes in %s mode', (mode) => {
    const fewer = inputOf(['10.244.1.1'], NODES.slice(0, 2))
    expect(summarize(fewer, ONE, { mode })).toEqual([expect.stringMatching(/^node-3 [1-9]\d*$/)])
    expect(summarize(ONE, fewer, { mode })).toEqual([expect.stringMatching(/^node-3 [1-9]\d*$/)])
    expect(summarize(inputOf([], []), ONE, { mode })).toHaveLength(3)
    expect(summarize(ONE, inputOf([], []), { mode })).toHaveLength(3)
  })

  it('finds the same nodes if the Nodes have another order, and only the selected ones', () => {
    const reversed = { ...TWO, nodes: [...NODES].reverse() }
    expect(summarize(ONE, reversed)).toEqual(['node-2 7'])
    expect(summarize(ONE, TWO, { nodeNames: new Set(['node-3', 'node-2']).values() })).toEqual(['node-2 7'])
    expect(summarize(ONE, TWO, { nodeNames: ['node-3'] })).toEqual([])
  })

  it('returns the same patches as diff, in the order of the Nodes, at each iteration', () => {
    const later = { ...TWO, services: [service({ externalIPs: ['192.0.2.1'] })], nodes: NODES.slice(1) }
    const patchOf = (nodeName: string) =>
      JSON.stringify(diff(compile(ONE, { nodeName }), nodeName === 'node-1' ? undefined : compile(later, { nodeName })))
    const changed = findChangedNodes(ONE, later)
    for (let times = 0; times < 2; times++)
      expect(Array.from(changed, ({ nodeName, patch }) => [nodeName, JSON.stringify(patch)])).toEqual(
        ['node-2', 'node-3', 'node-1'].map((name) => [name, patchOf(name)]),
      )
  })

  it('reads lists and iterators of objects', () => {
    const iterators = ({ services, endpointSlices, nodes }: CompileInput): CompileInput => ({
      services: new Set(services as never).values() as never,
      endpointSlices: { items: endpointSlices as never },
      nodes: new Set(nodes as never).values() as never,
    })
    expect(summarize(iterators(ONE), iterators(structuredClone(TWO)))).toEqual(['node-2 7'])
    expect(summarize(ONE, iterators(structuredClone(ONE)))).toEqual([])
  })

  it('throws at once if one of the inputs is invalid', () => {
    const invalid = { ...ONE, configuration: { mode: 'nonsense' } }
    expect(() => findChangedNodes(invalid, ONE)).toThrow('nonsense')
    expect(() => findChangedNodes(ONE, invalid)).toThrow('nonsense')
  })
})
