import { formatDiagnostic, type Node } from '@kube-rules/types'
import { describe, expect, it } from 'vitest'
import type { CompileOptions } from '../../src/compilation/compile-result.js'
import { createCompileContext } from '../../src/compilation/context.js'

const node: Node = { metadata: { name: 'a' }, status: { addresses: [{ type: 'InternalIP', address: '192.168.0.2' }] } }
const other: Node = { ...node, metadata: { name: 'b' } }
const input = { services: [], nodes: [node], configuration: { mode: 'ipvs' } }
const options = { nodeName: 'a' }
const first = createCompileContext(input, options)

describe('the context of an earlier compile', () => {
  it('is reused if all its inputs are identical', () => {
    expect(createCompileContext({ ...input, nodes: new Set([node]) }, { ...options }, first)).toBe(first)
  })

  it.each([
    ['another node', { ...input, nodes: [{ ...node }] }, options],
    ['an additional node', { ...input, nodes: [node, other] }, options],
    ['another configuration', { ...input, configuration: { mode: 'ipvs' } }, options],
    ['another host', { ...input, host: {} }, options],
    ['another node name', input, { nodeName: 'b' }],
    ['another mode', input, { ...options, mode: 'iptables' as const }],
    ['another version', input, { ...options, kubernetesVersion: '1.30' }],
    ['another family', input, { ...options, families: ['IPv6' as const] }],
  ])('is not reused for %s', (_, changedInput, changedOptions) => {
    const context = createCompileContext(changedInput, changedOptions, first)
    expect(context).not.toBe(first)
    expect(context).toEqual(createCompileContext(changedInput, changedOptions))
  })

  it('is not reused if the caller has modified the list of nodes in place', () => {
    const nodes = [other]
    const before = createCompileContext({ ...input, nodes }, {})
    nodes[0] = node
    expect(createCompileContext({ ...input, nodes }, {}, before).context.nodeName).toBe('a')
  })
})

describe('the version of the Node', () => {
  const report = (kubeProxyVersion: string): Node => ({ ...node, status: { nodeInfo: { kubeProxyVersion } } })
  const warningsAbout = (kubeProxyVersion: string, options: CompileOptions = {}) =>
    createCompileContext({ services: [], nodes: [report(kubeProxyVersion)] }, { nodeName: 'a', ...options })
      .context.diagnostics.filter(({ code }) => code === 'unsupportedVersion')
      .map(formatDiagnostic)

  it('is reported if no version of the mode is it', () => {
    expect(warningsAbout('v1.12.10')).toEqual([
      'warning: Node a: status.nodeInfo: "v1.12.10" is no version with iptables mode; the rules are those of 1.37 (expected a version from 1.14 to 1.37) [unsupportedVersion]',
    ])
    expect(warningsAbout('v1.28.1', { mode: 'nftables' })).toEqual([
      'warning: Node a: status.nodeInfo: "v1.28.1" is no version with nftables mode; the rules are those of 1.37 (expected a version from 1.29 to 1.37) [unsupportedVersion]',
    ])
  })

  it('is not reported if it is emulated, or if another version is requested', () => {
    expect(warningsAbout('v1.28.1')).toEqual([])
    expect(warningsAbout('v1.12.10', { kubernetesVersion: '1.30' })).toEqual([])
  })
})
