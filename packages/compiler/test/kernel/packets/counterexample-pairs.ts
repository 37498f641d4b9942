import type { EndpointSlice, Service } from '@kube-rules/types'
import fc from 'fast-check'
import { compile } from '../../../src/compilation/compile.js'
import type { CompileResult, FamilyResult } from '../../../src/compilation/compile-result.js'
import type { NodeState } from '../../../src/dataplane/node-state.js'
import { type Mutation, mutate, mutationsOf } from '../../support/mutations.js'
import { mutateTable, type TableMutation, tableMutations } from '../../support/nftables-mutations.js'
import { dumpOf, nodeHolding } from '../../support/node-dump.js'
import { readDump } from '../../support/read-dump.js'
import { ADDRESSES, HOST, type Place } from './topology.js'

/** Two possible rulesets of a node in the lab. */
export interface Pair {
  readonly name: string
  readonly a: NodeState
  readonly b: NodeState
  /** The node's addresses. */
  readonly addresses: readonly string[]
}

const CLIENT = ADDRESSES.client.IPv4

interface Given {
  readonly type: 'ClusterIP' | 'NodePort' | 'LoadBalancer'
  readonly externalTrafficPolicy: 'Cluster' | 'Local'
  readonly internalTrafficPolicy: 'Cluster' | 'Local'
  readonly ranges: readonly string[]
  readonly endpoints: readonly Place[]
}

const services: fc.Arbitrary<Given> = fc.record({
  type: fc.constantFrom<Given['type']>('ClusterIP', 'NodePort', 'LoadBalancer', 'LoadBalancer'),
  externalTrafficPolicy: fc.constantFrom<Given['externalTrafficPolicy']>('Cluster', 'Local'),
  internalTrafficPolicy: fc.constantFrom<Given['internalTrafficPolicy']>('Cluster', 'Cluster', 'Local'),
  ranges: fc.constantFrom<readonly string[]>([], [`${CLIENT}/32`], ['192.0.2.200/32', '10.244.0.0/16']),
  // Without session affinity, which would send all packets of a client to the same endpoint.
  endpoints: fc.subarray<Place>(['pod1', 'pod2', 'pod3', 'node']),
})

const clusters = fc.tuple(services, services)

function compiled(given: readonly Given[], mode: 'iptables' | 'nftables', kubernetesVersion: string): CompileResult {
  const input = {
    services: given.map(serviceOf),
    endpointSlices: given.map(sliceOf),
    nodes: [{ metadata: { name: 'node' } }],
    configuration: { mode, clusterCIDR: '10.244.0.0/16' },
    host: HOST,
  }
  return compile(input, { nodeName: 'node', families: ['IPv4'], kubernetesVersion })
}

function serviceOf({ endpoints: _, ranges, type, ...policies }: Given, at: number): Service {
  const isExternal = type !== 'ClusterIP'
  return {
    metadata: { namespace: 'lab', name: `web-${at}` },
    spec: {
      ...{ type, clusterIP: `10.96.0.${at + 1}`, internalTrafficPolicy: policies.internalTrafficPolicy },
      ports: [{ name: 'http', port: 80, ...(isExternal && { nodePort: 30_080 + at }) }],
      ...(isExternal && { externalTrafficPolicy: policies.externalTrafficPolicy }),
      ...(type === 'LoadBalancer' && { loadBalancerSourceRanges: [...ranges] }),
    },
    ...(type === 'LoadBalancer' && { status: { loadBalancer: { ingress: [{ ip: `203.0.113.${at + 1}` }] } } }),
  }
}

function sliceOf({ endpoints }: Given, at: number): EndpointSlice {
  return {
    metadata: { namespace: 'lab', name: `web-${at}`, labels: { 'kubernetes.io/service-name': `web-${at}` } },
    addressType: 'IPv4',
    ports: [{ name: 'http', port: 8080 }],
    endpoints: endpoints.map((place) => ({
      addresses: [ADDRESSES[place].IPv4],
      nodeName: place === 'pod3' ? 'other' : 'node',
    })),
  }
}

function onlyFamily({ families: [family] }: CompileResult): FamilyResult {
  if (family === undefined) throw new Error('nothing was compiled')
  return family
}

function pairOf(name: string, result: CompileResult, a: NodeState, b: NodeState): Pair {
  return { name, a, b, addresses: onlyFamily(result).plan.node.addresses.map(({ address }) => address) }
}

/** Generates one cluster in two modes. */
function modes(version: string): fc.Arbitrary<Pair> {
  return clusters.map((given) => {
    const [a, b] = [compiled(given, 'iptables', version), compiled(given, 'nftables', version)]
    return pairOf(`iptables : nftables ${version}`, a, onlyFamily(a).state, onlyFamily(b).state)
  })
}

/** Generates two clusters in one mode. */
function changes(mode: 'iptables' | 'nftables', version: string): fc.Arbitrary<Pair> {
  return fc.tuple(clusters, services).map(([given, other]) => {
    const [a, b] = [compiled(given, mode, version), compiled([given[0], other], mode, version)]
    return pairOf(`${mode}, a Service changed`, a, onlyFamily(a).state, onlyFamily(b).state)
  })
}

const mutatedRules: fc.Arbitrary<Pair | undefined> = fc
  .tuple(clusters, mutationsOf('iptables'))
  .map(([given, mutation]) => withMutatedRules(compiled(given, 'iptables', '1.36'), mutation))

function withMutatedRules(result: CompileResult, mutation: Mutation): Pair | undefined {
  const node = nodeHolding(result, 'IPv4')
  const changed = mutate(node, mutation)
  if (changed === undefined) return undefined
  const [before, after] = [node, changed].map((held) => dumpOf(held, 'IPv4')) as [string, string]
  // The kernel rejects ports of a protocol without ports.
  if (/ -p gre .*-m (?:tcp|udp) /.test(after)) return undefined
  return pairOf(`iptables, ${mutation.kind}`, result, readDump(before).IPv4, readDump(after).IPv4)
}

const mutatedTables: fc.Arbitrary<Pair | undefined> = fc
  .tuple(clusters, tableMutations)
  .map(([given, mutation]) => withMutatedTable(compiled(given, 'nftables', '1.36'), mutation))

function withMutatedTable(result: CompileResult, mutation: TableMutation): Pair | undefined {
  const { state } = onlyFamily(result)
  const [table] = state.nftables?.tables ?? []
  const changed = table && mutateTable(table, mutation)
  if (changed === 'unchanged') return undefined
  const nftables = { tables: changed === undefined ? [] : [changed] }
  return pairOf(`nftables, ${mutation.kind}`, result, state, { family: 'IPv4', nftables })
}

const SEED = 16

/** Generates the pairs. They are always the same. */
export function counterexamplePairs(): readonly Pair[] {
  const kinds: readonly (readonly [pairs: fc.Arbitrary<Pair | undefined>, count: number])[] = [
    ...['1.31', '1.37'].map((version) => [modes(version), 2] as const),
    [changes('iptables', '1.36'), 2],
    [changes('nftables', '1.36'), 2],
    [mutatedRules, 20],
    [mutatedTables, 20],
  ]
  return kinds.flatMap(([pairs, numRuns]) => fc.sample(pairs, { numRuns, seed: SEED }).flatMap((pair) => pair ?? []))
}
