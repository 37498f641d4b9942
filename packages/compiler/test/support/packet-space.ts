import type { Packet } from '@kube-rules/types'
import { isLoopback } from '@kube-rules/types/internal/ip'
import { createTracer } from '../../../analyzer/src/trace/trace.js'
import type { TracePath } from '../../../analyzer/src/trace/trace-paths.js'
import type { NodeState } from '../../src/dataplane/node-state.js'

// Compares two states by brute force: traces every packet of a small space through both. Independent of `compare`.

export interface PacketSpace {
  readonly addresses: readonly string[]
  readonly ports: readonly number[]
  /** The addresses of the node. */
  readonly own: readonly string[]
}

/** Generates every possible packet: the node sends from its own addresses, pods and external senders from the rest. */
export function* packetsIn({ addresses, ports, own }: PacketSpace): Iterable<Packet> {
  for (const destination of addresses) {
    for (const destinationPort of ports) {
      for (const protocol of ['TCP', 'UDP'] as const) {
        for (const source of addresses) {
          const packet = { protocol, source, destination, destinationPort }
          const isOfNode = own.includes(source) || isLoopback(source)
          if (isLoopback(destination) && !isOfNode) continue
          if (isOfNode) yield { ...packet, origin: 'node' }
          else for (const origin of ['outside', 'pod'] as const) yield { ...packet, origin, inInterface: 'eth9' }
        }
      }
    }
  }
}

/** Returns each outcome of a packet with its exact share; undefined if it depends on unknown facts. */
export function sharesOf(paths: readonly TracePath[]): string | undefined {
  if (paths.some(({ assumptions, outcome }) => assumptions.length > 0 || outcome.kind === 'unknown')) return undefined
  const shares = new Map<string, readonly [bigint, bigint]>()
  for (const { outcome, weight } of paths) {
    const key = JSON.stringify(outcome)
    const [n = '1', d = '1'] = weight.split('/')
    const [sumN, sumD] = shares.get(key) ?? [0n, 1n]
    shares.set(key, lowest(sumN * BigInt(d) + BigInt(n) * sumD, sumD * BigInt(d)))
  }
  return Array.from(shares, ([key, [n, d]]) => `${key} ${n}/${d}`)
    .sort()
    .join('\n')
}

function lowest(n: bigint, d: bigint): readonly [bigint, bigint] {
  let [a, b] = [n, d]
  while (b > 0n) [a, b] = [b, a % b]
  return [n / a, d / a]
}

/** Returns the first packet of the space with provably different outcomes in two states. */
export function differingPacket(a: NodeState, b: NodeState, space: PacketSpace): Packet | undefined {
  const [traceA, traceB] = [a, b].map((state) => createTracer(state, { addresses: space.own }))
  if (traceA === undefined || traceB === undefined) return undefined
  for (const packet of packetsIn(space)) {
    const [sharesA, sharesB] = [sharesOf(traceA(packet)), sharesOf(traceB(packet))]
    if (sharesA !== undefined && sharesB !== undefined && sharesA !== sharesB) return packet
  }
  return undefined
}
