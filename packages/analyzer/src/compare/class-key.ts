import type { Packet } from '@kube-rules/types'
import type { PacketClass } from './classes.js'
import type { Distribution } from './distribution.js'

/** Classes with the same service ports, with which both sides do the same two things but for who the sender is. */
export function keyOf(found: PacketClass): string {
  const { packet, a, b } = found
  const texts = [a(), b()].map(({ distribution, remembers }) => `${shapeOf(distribution(), packet)} ${remembers}`)
  return [...servicesOf(found), ...texts].join('\n')
}

function shapeOf(distribution: Distribution, { source }: Packet): string {
  const delivered = [...distribution.keys()].filter((text) => /^\S*:\d+(?:,|$)/.test(text))
  const ofSender = delivered.some((text) => text.startsWith(`${source}:`) || text.startsWith(`[${source}]:`))
  if (ofSender) return `${delivered.length} with the sender`
  return Array.from(distribution, ([text, weight]) => `${weight} ${text}`).join('; ')
}

/** The service ports whose rules are involved on either side. */
export function servicesOf({ a, b }: PacketClass): readonly string[] {
  return [...new Set([...a().owners, ...b().owners])].sort()
}
