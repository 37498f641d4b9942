import { DiagnosticsError, type Node } from '@kube-rules/types'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Cluster } from '../../../testing/src/arbitraries/cluster.js'
import { compile } from '../../src/compilation/compile.js'
import type { CompileInput, CompileResult } from '../../src/compilation/compile-result.js'
import { compileWithFeatures } from '../../src/compilation/compile-with-features.js'
import { compileNodes } from '../../src/many-nodes/compile-nodes.js'
import { versionsOf } from '../../src/model/configuration/versions.js'
import { createTracker } from '../../src/tracker/tracker.js'
import { type History, histories } from '../support/edits.js'
import { factsOf } from '../support/facts-of.js'
import { at, service, slice } from '../support/objects.js'
import { runs } from '../support/runs.js'

type NodeInfo = Readonly<Record<string, string>>

function node(name: string, nodeInfo?: NodeInfo): Node {
  const status: object | undefined = nodeInfo && { nodeInfo }
  return { metadata: { name }, ...(status && { status }) }
}

function inputOf(...nodes: readonly Node[]): CompileInput {
  return { services: [service()], endpointSlices: [slice(at('10.244.1.1'))], nodes }
}

const NODES = [
  node('old', { kubeletVersion: 'v1.31.0', kubeProxyVersion: 'v1.30.3' }),
  node('new', { kubeletVersion: 'v1.34.1-eks-1', kubeProxyVersion: '' }),
  node('odd', { kubeletVersion: 'v1.99.0' }),
  node('none'),
]

/** The versions that rules are computed for, by node. The newest version is the default. */
const VERSIONS = { old: '1.30', new: '1.34', odd: '1.37', none: '1.37' }

describe('the version of the Node', () => {
  it.each(Object.entries(VERSIONS))('of %s is %s in compile', (nodeName, version) => {
    const input = inputOf(...NODES)
    const result = compile(input, { nodeName })
    expect(result.kubernetesVersion).toBe(version)
    expect(result.families).toEqual(compile(input, { nodeName, kubernetesVersion: version }).families)
    expect(compileWithFeatures(input, { nodeName }, {}).kubernetesVersion).toBe(version)
  })

  it('is the version of each node in compileNodes', () => {
    const results = Array.from(compileNodes(inputOf(...NODES)), ({ nodeName, result }) => [
      nodeName,
      result.kubernetesVersion,
    ])
    expect(Object.fromEntries(results)).toEqual(VERSIONS)
  })

  it.each([
    ['an explicit version', {}, { kubernetesVersion: '1.32' }, '1.32'],
    ['the only Node', {}, {}, '1.30'],
    ['the hostnameOverride', { hostnameOverride: ' OLD ' }, {}, '1.30'],
    ['the mode of the configuration', { mode: 'ipvs' }, {}, '1.30'],
    ['a mode that the version does not have', { mode: 'userspace' }, {}, '1.25'],
    ['the mode in the options', { mode: 'userspace' }, { mode: 'ipvs' }, '1.30'],
  ] as const)('follows %s', (_, configuration, options, version) => {
    const input = { ...inputOf(NODES[0] as Node), configuration }
    expect(compile(input, options).kubernetesVersion).toBe(version)
    expect([...compileNodes(input, options)].map(({ result }) => result.kubernetesVersion)).toEqual([version])
  })

  it('changes after an upgrade of the Node', () => {
    const before = compile(inputOf(node('node-1', { kubeletVersion: 'v1.30.0' })))
    const after = compile(inputOf(node('node-1', { kubeletVersion: 'v1.34.0' })), { previous: before })
    expect([before, after].map(({ kubernetesVersion }) => kubernetesVersion)).toEqual(['1.30', '1.34'])
    expect(compile(inputOf(node('node-1', { kubeletVersion: 'v1.34.0' })), { previous: after })).toEqual(after)
  })

  it('decides which settings are valid', () => {
    const configuration = { nodePortAddresses: ['primary'] }
    const input = { ...inputOf(...NODES), configuration }
    expect(() => compile(input, { nodeName: 'old' })).toThrow(DiagnosticsError)
    expect(compile(input, { nodeName: 'new' }).kubernetesVersion).toBe('1.34')
    expect(() => compileNodes(input)).toThrow(DiagnosticsError)
    expect([...compileNodes(input, { nodeNames: ['new'] })]).toHaveLength(1)
  })

  it('is the same in compile, compileNodes and a tracker for hostile Nodes', () => {
    const values = [undefined, null, 7, '', 'v1', 'v1.30.0', 'v1.33.9+x', {}, ['v1.30'], 'v1.30.0\nv1.31.0'] as const
    const info = fc.record({ kubeletVersion: fc.constantFrom(...values), kubeProxyVersion: fc.constantFrom(...values) })
    const seen = new Set<string>()
    fc.assert(
      fc.property(fc.oneof(info, fc.constantFrom(null, 'x', [])), (nodeInfo) => {
        const hostile = { metadata: { name: 'node-1' }, status: { nodeInfo } } as unknown as Node
        const tracker = createTracker({ nodeName: 'node-1' })
        tracker.upsert(hostile, 'Node')
        const versions = [
          compile({ services: [], nodes: [hostile] }, { nodeName: 'node-1' }).kubernetesVersion,
          ...Array.from(compileNodes({ services: [], nodes: [hostile] }), ({ result }) => result.kubernetesVersion),
          tracker.sync().result.kubernetesVersion,
        ]
        expect(new Set(versions).size).toBe(1)
        seen.add(versions[0] as string)
      }),
      { numRuns: 40 },
    )
    expect(seen.size).toBeGreaterThan(1)
  })
})

/** Histories in which Nodes have versions, and are upgraded from time to time. */
const upgrades: fc.Arbitrary<History> = fc
  .record({ history: histories, versions: fc.array(fc.nat(), { minLength: 3, maxLength: 9 }) })
  .map(({ history, versions }) => {
    const { mode, ...options } = { ...history.options, kubernetesVersion: undefined, nodeName: undefined }
    const known = versionsOf(mode ?? 'iptables').slice(-4)
    const infoOf = (index: number) => ({
      kubeletVersion: `v${known[(versions[index % versions.length] ?? 0) % known.length]}.1`,
    })
    const names = ['node-1', 'node-2', 'node-3', 'node-4']
    const inputs = history.inputs.map((input, step): Cluster => {
      const nodes = names.map((name, index) => node(name, infoOf(index + (step >> 1))))
      return { ...input, configuration: { mode: input.configuration?.mode ?? '' }, nodes }
    })
    return { inputs, options: { ...options, mode } }
  })

describe('compileNodes for Nodes of several versions', () => {
  it('returns for every node the same result as compile, also with earlier results', () => {
    let mixed = 0
    fc.assert(
      fc.property(upgrades, ({ inputs, options: { mode } }) => {
        let previous: ReadonlyMap<string, CompileResult> = new Map()
        for (const input of inputs) {
          const results = new Map(
            Array.from(compileNodes(input, { mode, previous }), ({ nodeName, result }) => [nodeName, result]),
          )
          for (const [nodeName, result] of results) {
            expect(factsOf(result)).toEqual(factsOf(compile(input, { mode, nodeName })))
          }
          if (new Set([...results.values()].map(({ kubernetesVersion }) => kubernetesVersion)).size > 1) mixed++
          previous = results
        }
      }),
      { numRuns: runs(15) },
    )
    expect(mixed).toBeGreaterThan(3)
  })
})
