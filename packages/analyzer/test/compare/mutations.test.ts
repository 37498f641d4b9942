import type { Packet } from '@kube-rules/types'
import { isLoopback } from '@kube-rules/types/internal/ip'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { CompileResult } from '../../../compiler/src/compilation/compile-result.js'
import type { NodeState } from '../../../compiler/src/dataplane/node-state.js'
import type { Plan } from '../../../compiler/src/plan/plan.js'
import type { ProxyMode } from '../../../compiler/src/targets/modes.js'
import { cases, optionsOfMode, understoodCluster } from '../../../compiler/test/support/clusters.js'
import { compileCase } from '../../../compiler/test/support/compiled.js'
import { type Mutation, mutate, mutationsOf } from '../../../compiler/test/support/mutations.js'
import { mutateTable, type TableMutation, tableMutations } from '../../../compiler/test/support/nftables-mutations.js'
import { dumpOf, nodeHolding } from '../../../compiler/test/support/node-dump.js'
import { sharesOf } from '../../../compiler/test/support/packet-space.js'
import { readDump } from '../../../compiler/test/support/read-dump.js'
import { fewRuns, isWhole } from '../../../compiler/test/support/runs.js'
import { anyPacket } from '../../../testing/src/arbitraries/packets.js'
import { compare } from '../../src/compare/compare.js'
import { createTracer } from '../../src/trace/trace.js'
import { traceContextFor } from '../../src/trace/trace-context.js'

// Single changes to a node state. `compare` must find every change that affects a random packet, and every reported
// difference must be real.

/** The number of random packets after each change; `pnpm properties` uses the high one. */
const PACKETS = isWhole ? 100_000 : 300

const PORTION = Math.min(1_000, PACKETS)

interface Changed {
  readonly plan: Plan
  readonly before: NodeState
  readonly after: NodeState
}

function resultsOf(mode: ProxyMode): fc.Arbitrary<CompileResult> {
  return cases.map(({ cluster, options }) => {
    const own = optionsOfMode(options, mode)
    return compileCase({ cluster: understoodCluster(cluster, own), options: { ...own, families: ['IPv4'] } })
  })
}

function changedRules(mode: 'iptables' | 'ipvs'): fc.Arbitrary<Changed | undefined> {
  return fc.tuple(resultsOf(mode), mutationsOf(mode)).map(([result, mutation]) => mutatedNode(result, mutation))
}

function mutatedNode(result: CompileResult, mutation: Mutation): Changed | undefined {
  const [family] = result.families
  const node = nodeHolding(result, 'IPv4')
  const changed = mutate(node, mutation)
  if (changed === undefined || family === undefined) return undefined
  const [before, after] = [node, changed].map((held) => readDump(dumpOf(held, 'IPv4')).IPv4)
  return before && after && { plan: family.plan, before, after }
}

const changedTables: fc.Arbitrary<Changed | undefined> = fc
  .tuple(resultsOf('nftables'), tableMutations)
  .map(([result, mutation]) => mutatedTable(result, mutation))

function mutatedTable({ families: [family] }: CompileResult, mutation: TableMutation): Changed | undefined {
  const [table] = family?.state.nftables?.tables ?? []
  const changed = table && mutateTable(table, mutation)
  if (family === undefined || changed === 'unchanged') return undefined
  const tables = changed === undefined ? [] : [changed]
  return { plan: family.plan, before: family.state, after: { family: 'IPv4', nftables: { tables } } }
}

const CHANGES: Readonly<Record<string, fc.Arbitrary<Changed | undefined>>> = {
  iptables: changedRules('iptables'),
  ipvs: changedRules('ipvs'),
  nftables: changedTables,
}

function isChanged(changed: Changed | undefined): changed is Changed {
  return changed !== undefined
}

/** Returns the first random packet with provably different outcomes in the two states. */
function noticed({ plan, before, after }: Changed, seed: number): Packet | undefined {
  const [old, fresh] = [before, after].map((state) => createTracer(state, traceContextFor(plan)))
  if (old === undefined || fresh === undefined) return undefined
  const packets = anyPacket(plan).filter((packet) => packet.origin !== 'node' || isOwnSource(plan, packet))
  // Skips packets that were already sent.
  const known = new Set<string>()
  for (let sent = 0; sent < PACKETS; sent += PORTION) {
    const found = fc.sample(packets, { numRuns: PORTION, seed: seed + sent }).find((packet) => {
      const { source, destination, destinationPort, protocol, origin, inInterface } = packet
      const text = `${origin} ${inInterface} ${source} ${destination} ${destinationPort} ${protocol}`
      if (known.has(text)) return false
      known.add(text)
      const [some, other] = [sharesOf(old(packet)), sharesOf(fresh(packet))]
      return some !== undefined && other !== undefined && some !== other
    })
    if (found !== undefined) return found
  }
  return undefined
}

/** Reports whether the node can send a packet with this source. A comparison has no other locally generated packets. */
function isOwnSource({ node }: Plan, { source }: Packet): boolean {
  return isLoopback(source) || node.addresses.some(({ address }) => address === source)
}

describe.each(Object.entries(CHANGES))('a change to a node state of %s mode', (_, changes) => {
  it('appears in a comparison if and only if it changes the outcome of a packet', () => {
    const seen = { noticed: 0, found: 0, equal: 0 }
    fc.assert(
      fc.property(changes.filter(isChanged), fc.nat(), (changed, seed) => {
        const { plan, before, after } = changed
        const comparison = compare(before, after, traceContextFor(plan))
        for (const { packet, a, b } of comparison.differences) {
          if (a.affinitySeconds !== b.affinitySeconds) continue
          const [old, fresh] = [before, after].map((state) =>
            sharesOf(createTracer(state, traceContextFor(plan))(packet)),
          )
          expect(`${JSON.stringify(packet)} ${old}`).not.toBe(`${JSON.stringify(packet)} ${fresh ?? 'unsure'}`)
        }
        const packet = noticed(changed, seed)
        expect(packet === undefined || comparison.differences.length > 0, JSON.stringify(packet)).toBe(true)
        if (packet !== undefined) seen.noticed++
        seen[comparison.equal ? 'equal' : 'found']++
      }),
      { numRuns: 15 },
    )
    if (!isWhole) return
    expect(seen.noticed).toBeGreaterThan(0)
    expect(seen.equal).toBeGreaterThan(0)
  })
})

const HEAD = '# Generated by iptables-save v1.8.9'
const ENDPOINTS = ['10.244.1.1', '10.244.1.2', '10.244.2.1']

/** Builds a Service with some endpoints and source ranges in each, each in a given order. */
function saved(endpoints: readonly string[], ranges: readonly string[], services: readonly string[]): NodeState {
  const toEndpoints = endpoints.map((address, at) => {
    const chance = `-m statistic --mode random --probability ${(1 / (endpoints.length - at)).toFixed(11)} `
    return `-A KUBE-SVC ${at === endpoints.length - 1 ? '' : chance}-j DNAT --to-destination ${address}:8080`
  })
  const nat = [
    '-A PREROUTING -j KUBE-SERVICES',
    ...services.map((address) => `-A KUBE-SERVICES -d ${address}/32 -p tcp -m tcp --dport 80 -j KUBE-FW`),
    ...ranges.map((range) => `-A KUBE-FW -s ${range} -j KUBE-SVC`),
    ...toEndpoints,
  ]
  const chains = [':PREROUTING ACCEPT [0:0]', ...['SERVICES', 'FW', 'SVC'].map((name) => `:KUBE-${name} - [0:0]`)]
  return readDump([HEAD, '*nat', ...chains, ...nat, 'COMMIT', ''].join('\n')).IPv4
}

describe('two node states', () => {
  const SERVICES = ['10.96.0.1', '10.96.0.2', '10.96.0.3']
  const shuffled = (texts: readonly string[]) => fc.shuffledSubarray([...texts], { minLength: texts.length })
  const ranges = fc.constantFrom(
    ['203.0.112.0/23'],
    ['203.0.113.0/24', '203.0.112.0/24'],
    ['203.0.112.0/24', '203.0.113.128/25', '203.0.113.0/25'],
    ['203.0.112.0/23', '203.0.113.7/32'],
  )

  it('are equivalent if only the order of endpoints and service ports or the split of source ranges differs', () => {
    const written = fc.tuple(shuffled(ENDPOINTS), ranges, shuffled(SERVICES))
    fc.assert(
      fc.property(written, written, (a, b) => {
        expect(compare(saved(...a), saved(...b), { addresses: ['192.168.0.2'] }).equal).toBe(true)
      }),
      { numRuns: fewRuns(100) },
    )
  })

  it('are not equivalent if an endpoint, a Service or part of a source range is missing', () => {
    const whole = saved(ENDPOINTS, ['203.0.112.0/23'], SERVICES)
    const others = [
      saved(ENDPOINTS.slice(1), ['203.0.112.0/23'], SERVICES),
      saved(ENDPOINTS, ['203.0.113.0/24', '203.0.112.0/25', '203.0.112.128/26'], SERVICES),
      saved(ENDPOINTS, ['203.0.112.0/23'], SERVICES.slice(1)),
    ]
    for (const other of others)
      expect(compare(whole, other, { addresses: ['192.168.0.2'] }).differences).not.toEqual([])
  })
})
