import type { Packet } from '@kube-rules/types'
import type { TracePath } from '../trace/trace-paths.js'
import type { DifferingPacketClass, PacketClass, PacketClassResult } from './classes.js'
import type { ExpectedLimitation } from './comparison.js'

/**
 * Returns the limitations that explain how both sides handle a packet. Undefined if limitations do not explain the
 * difference.
 */
export type DifferenceExplainer = (
  packet: Packet,
  a: readonly TracePath[],
  b: readonly TracePath[],
) => ExplainingLimitations | undefined

/** Codes of limitations. */
export type ExplainingLimitations = { readonly [side in ExpectedLimitation['side']]: readonly string[] }

/** The differences that limitations explained so far. */
export interface DeclaredSoFar {
  classes: number
  readonly limitations: Map<string, ExpectedLimitation>
  /**
   * The limitations that explain the difference of each traced class. A substituted class has the explanation of its
   * `origin`.
   */
  readonly byOrigin: Map<PacketClass, ExplainingLimitations | undefined>
}

/**
 * Reports whether the difference of a class is explained, and counts it if so. An unknown condition, such as whether a
 * packet comes through a bridge, does not prevent this: an explanation covers the outcomes for both values.
 */
export function isExpected(
  packetClass: DifferingPacketClass,
  explain: DifferenceExplainer,
  declared: DeclaredSoFar,
): boolean {
  const explained = explanationOf(packetClass, explain, declared)
  if (explained === undefined) return false
  const { packet } = packetClass
  declared.classes++
  for (const side of ['a', 'b', 'both'] as const)
    for (const code of explained[side]) count(declared.limitations, { side, code, classes: 1, packet })
  return true
}

function explanationOf(
  packetClass: DifferingPacketClass,
  explain: DifferenceExplainer,
  { byOrigin }: DeclaredSoFar,
): ExplainingLimitations | undefined {
  const origin = packetClass.origin ?? packetClass
  if (byOrigin.has(origin)) return byOrigin.get(origin)
  const [a, b] = [packetClass.a(), packetClass.b()]
  const found = explain(packetClass.packet, a.paths(), b.paths())
  // Each of the contending service ports has an affinity of its own.
  const explained = found?.both.includes('contested') || haveEqualAffinity(a, b) ? found : undefined
  byOrigin.set(origin, explained)
  return explained
}

/**
 * Reports whether session affinity is the same on both sides. Affinity is compared only if packets reach an endpoint on
 * both sides. It is not compared for the userspace proxy, because this process keeps its own affinity entries.
 */
function haveEqualAffinity(a: PacketClassResult, b: PacketClassResult): boolean {
  return a.affinitySeconds === b.affinitySeconds || !reachesEndpoint(a) || !reachesEndpoint(b)
}

function reachesEndpoint({ affinitySeconds, paths }: PacketClassResult): boolean {
  return affinitySeconds !== undefined || paths().some(({ outcome }) => outcome.kind === 'delivered')
}

function count(limitations: Map<string, ExpectedLimitation>, met: ExpectedLimitation): void {
  const key = `${met.side} ${met.code}`
  const existing = limitations.get(key)
  limitations.set(key, existing === undefined ? met : { ...existing, classes: existing.classes + 1 })
}
