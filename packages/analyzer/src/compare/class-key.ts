import type { Packet } from '@kube-rules/types'
import type { PacketClass } from './classes.js'
import type { OutcomeDistribution } from './outcome-distribution.js'

/**
 * Returns a key for grouping classes. Two classes have the same key if they have the same service ports and the same
 * results on both sides, regardless of the sender.
 */
export function createPacketClassKey(packetClass: PacketClass): string {
  const { packet, a, b } = packetClass
  const texts = [a(), b()].map(
    ({ distribution, affinitySeconds }) => `${shapeOf(distribution(), packet)} ${affinitySeconds}`,
  )
  return [...servicePortsOfPacketClass(packetClass), ...texts].join('\n')
}

function shapeOf(distribution: OutcomeDistribution, { source }: Packet): string {
  const delivered = [...distribution.keys()].filter((text) => /^\S*:\d+(?:,|$)/.test(text))
  const ofSender = delivered.some((text) => text.startsWith(`${source}:`) || text.startsWith(`[${source}]:`))
  if (ofSender) return `${delivered.length} with the sender`
  return Array.from(distribution, ([text, weight]) => `${weight} ${text}`).join('; ')
}

/** Returns the service ports with matching rules on either side. */
export function servicePortsOfPacketClass({ a, b }: PacketClass): readonly string[] {
  return [...new Set([...a().owners, ...b().owners])].sort()
}
