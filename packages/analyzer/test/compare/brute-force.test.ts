import type { EndpointSlice, Service } from '@kube-rules/types'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compile } from '../../../compiler/src/compilation/compile.js'
import type { CompileInput, CompileOptions } from '../../../compiler/src/compilation/compile-result.js'
import type { NodeState } from '../../../compiler/src/dataplane/node-state.js'
import type { ProxyMode } from '../../../compiler/src/targets/modes.js'
import { mutate, mutationsOf } from '../../../compiler/test/support/mutations.js'
import { mutateTable, tableMutations } from '../../../compiler/test/support/nftables-mutations.js'
import { dumpOf, nodeHolding } from '../../../compiler/test/support/node-dump.js'
import { differingPacket, type PacketSpace, sharesOf } from '../../../compiler/test/support/packet-space.js'
import { readDump } from '../../../compiler/test/support/read-dump.js'
import { fewRuns, isWhole } from '../../../compiler/test/support/runs.js'
import { compare } from '../../src/compare/compare.js'
import { trace } from '../../src/trace/trace.js'

// Clusters small enough to test every packet: `compare` must agree with brute force.

const OWN = ['192.168.0.2']
const ENDPOINTS = ['10.244.0.1', '10.244.1.1', '192.168.0.2']
const SPACE: PacketSpace = {
  own: OWN,
  addresses: ['10.96.0.1', '198.51.100.1', ...ENDPOINTS, '203.0.113.9', '127.0.0.1', '10.244.7.7'],
  ports: [80, 8080, 30080, 81],
}

interface Small {
  readonly input: CompileInput
  readonly options: CompileOptions & { readonly mode: ProxyMode }
}

const services = fc.record({
  type: fc.constantFrom('ClusterIP', 'NodePort', 'LoadBalancer'),
  externalTrafficPolicy: fc.constantFrom('Cluster', 'Local'),
  internalTrafficPolicy: fc.constantFrom('Cluster', 'Local'),
  ranges: fc.constantFrom<readonly string[]>([], ['203.0.113.0/24'], ['10.244.0.0/16', '203.0.113.9/32']),
  affinity: fc.constantFrom('None', 'None', 'ClientIP'),
  endpoints: fc.subarray(ENDPOINTS),
  protocol: fc.constantFrom<'TCP' | 'UDP'>('TCP', 'TCP', 'UDP'),
})

const versions = fc.constantFrom('1.31', '1.33', '1.34', '1.36', '1.37')

/** Every mode; nftables mode in each version with different rules. */
const KINDS: readonly Pick<Small['options'], 'mode' | 'kubernetesVersion'>[] = [
  { mode: 'userspace', kubernetesVersion: '1.25' },
  { mode: 'iptables', kubernetesVersion: '1.36' },
  { mode: 'ipvs', kubernetesVersion: '1.36' },
  ...['1.31', '1.32', '1.34', '1.35', '1.36', '1.37'].map((version) => ({
    mode: 'nftables' as const,
    kubernetesVersion: version,
  })),
]
const PAIRS = KINDS.flatMap((a, index) =>
  KINDS.slice(index).map((b) => ({
    a,
    b,
    names: `${a.mode} ${a.kubernetesVersion}, ${b.mode} ${b.kubernetesVersion}`,
  })),
)
const modes = fc.constantFrom<Small['options']['mode']>('iptables', 'ipvs', 'nftables')

const smalls: fc.Arbitrary<Small> = fc
  .record({ service: services, version: versions, mode: modes, clusterCIDR: fc.constantFrom('', '10.244.0.0/16') })
  .map(({ service, version, mode, clusterCIDR }) => ({
    input: {
      services: [serviceOf(service)],
      endpointSlices: [sliceOf(service)],
      configuration: { mode, clusterCIDR },
      host: {
        interfaces: [{ name: 'eth0', addresses: ['192.168.0.2/24'] }],
        proxyPorts: { 'default/web:http': 40_001 },
      },
    },
    options: { nodeName: 'node-1', families: ['IPv4'], kubernetesVersion: version, mode },
  }))

type Given = typeof services extends fc.Arbitrary<infer T> ? T : never

function serviceOf({ type, externalTrafficPolicy, internalTrafficPolicy, ranges, affinity, protocol }: Given): Service {
  const isExternal = type !== 'ClusterIP'
  return {
    metadata: { namespace: 'default', name: 'web' },
    spec: {
      type,
      clusterIP: '10.96.0.1',
      internalTrafficPolicy,
      sessionAffinity: affinity,
      ports: [{ name: 'http', port: 80, protocol, ...(isExternal && { nodePort: 30080 }) }],
      ...(isExternal && { externalTrafficPolicy }),
      ...(type === 'LoadBalancer' && { loadBalancerSourceRanges: [...ranges] }),
    },
    ...(type === 'LoadBalancer' && { status: { loadBalancer: { ingress: [{ ip: '198.51.100.1' }] } } }),
  }
}

function sliceOf({ endpoints, protocol }: Given): EndpointSlice {
  return {
    metadata: { namespace: 'default', name: 'web-1', labels: { 'kubernetes.io/service-name': 'web' } },
    addressType: 'IPv4',
    ports: [{ name: 'http', port: 8080, protocol }],
    endpoints: endpoints.map((address, index) => ({
      addresses: [address],
      nodeName: index % 2 === 0 ? 'node-1' : 'node-2',
      ...(index === 1 && { conditions: { ready: false, serving: true, terminating: true } }),
    })),
  }
}

function resultOf({ input, options }: Small) {
  return compile(input, options)
}

function stateOf(small: Small): NodeState {
  const [family] = resultOf(small).families
  if (family === undefined) throw new Error('nothing was compiled')
  return family.state
}

const seen = { equal: 0, different: 0 }

/** Expects `compare` to agree with brute force, and its examples to be valid. */
function expectJudged(a: NodeState, b: NodeState): void {
  const comparison = compare(a, b, { addresses: OWN })
  const differing = differingPacket(a, b, SPACE)
  if (comparison.equal) expect(differing).toBeUndefined()
  if (differing !== undefined) expect(comparison.differences.length, JSON.stringify(differing)).toBeGreaterThan(0)
  for (const { packet, a: onA, b: onB } of comparison.differences) {
    const [sharesA, sharesB] = [a, b].map((state) => sharesOf(trace(state, packet, { addresses: OWN })))
    if (onA.affinitySeconds === onB.affinitySeconds) expect(sharesA, JSON.stringify(packet)).not.toBe(sharesB)
  }
  seen[comparison.equal ? 'equal' : 'different']++
}

describe('compare', () => {
  it('agrees with a test of every packet for two modes and versions', () => {
    fc.assert(
      fc.property(smalls, modes, versions, (small, mode, version) => {
        const other = { ...small, options: { ...small.options, mode, kubernetesVersion: version } }
        expectJudged(stateOf(small), stateOf(other))
      }),
      { numRuns: fewRuns(60) },
    )
  })

  it.each(PAIRS)('agrees with a test of every packet for $names', ({ a, b }) => {
    fc.assert(
      fc.property(smalls, ({ input, options }) => {
        const [before, after] = [a, b].map((kind) => stateOf({ input, options: { ...options, ...kind } }))
        if (before !== undefined && after !== undefined) expectJudged(before, after)
      }),
      { numRuns: fewRuns(4) },
    )
  })

  it('agrees with a test of every packet for two clusters', () => {
    fc.assert(
      fc.property(smalls, smalls, ({ input, options }, other) =>
        expectJudged(stateOf({ input, options }), stateOf({ input: other.input, options })),
      ),
      { numRuns: fewRuns(100) },
    )
  })

  it('agrees with a test of every packet after a change to one rule or set', () => {
    const mutated = fc
      .constantFrom('iptables', 'ipvs')
      .chain((mode) => fc.record({ mode: fc.constant(mode), small: smalls, mutation: mutationsOf(mode) }))
    fc.assert(
      fc.property(mutated, ({ mode, small, mutation }) => {
        const node = nodeHolding(resultOf({ ...small, options: { ...small.options, mode } }), 'IPv4')
        const changed = mutate(node, mutation)
        if (changed === undefined) return
        const [before, after] = [node, changed].map((held) => readDump(dumpOf(held, 'IPv4')).IPv4)
        if (before !== undefined && after !== undefined) expectJudged(before, after)
      }),
      { numRuns: fewRuns(130) },
    )
  })

  it('agrees with a test of every packet after a change to one nftables table', () => {
    fc.assert(
      fc.property(smalls, tableMutations, (small, mutation) => {
        const state = stateOf({ ...small, options: { ...small.options, mode: 'nftables' } })
        const [table] = state.nftables?.tables ?? []
        const changed = table && mutateTable(table, mutation)
        if (changed === 'unchanged') return
        expectJudged(state, { family: 'IPv4', nftables: { tables: changed === undefined ? [] : [changed] } })
      }),
      { numRuns: fewRuns(130) },
    )
  })

  it.runIf(isWhole)('is tested with more than ten equal and ten different pairs of states', () => {
    expect(seen.equal).toBeGreaterThan(10)
    expect(seen.different).toBeGreaterThan(10)
  })
})
