import type { Packet } from '@kube-rules/types'
import type { OutcomeDistribution } from '../plan/outcome-distribution.js'
import type { PacketClass } from './classes.js'

/**
 * Returns a key for grouping classes. Two classes have the same key if they have the same service ports and the same
 * results on both sides, regardless of the sender.
 */
export function createPacketClassKey(packetClass: PacketClass): string {
  const { packet, a, b, choices } = packetClass
  const texts = [a(), b()].map(
    ({ distribution, affinitySeconds }) => `${shapeOf(distribution(), packet)} ${affinitySeconds}`,
  )
  return [...servicePortsOfPacketClass(packetClass), ...texts, JSON.stringify(choices)].join('\n')
}

function shapeOf(distribution: OutcomeDistribution, { source }: Packet): string {
  const delivered = Array.from(distribution.values()).flatMap(({ outcome }) =>
    outcome.kind === 'delivered' ? outcome.address : [],
  )
  if (delivered.includes(source)) return `${delivered.length} with the sender`
  return Array.from(distribution, ([text, { weight }]) => `${weight} ${text}`).join('; ')
}

/** Returns the service ports with matching rules on either side, and those that kube-proxy selects from at random. */
export function servicePortsOfPacketClass(packetClass: PacketClass): readonly string[] {
  return [...new Set([...servicePortsOfSide(packetClass, 'a'), ...servicePortsOfSide(packetClass, 'b')])].sort()
}

/** Returns the service ports of one side. */
export function servicePortsOfSide({ choices, ...sides }: PacketClass, side: 'a' | 'b'): readonly string[] {
  const selected = choices?.[side].map(({ servicePort }) => servicePort) ?? []
  return [...sides[side]().owners, ...selected]
}
