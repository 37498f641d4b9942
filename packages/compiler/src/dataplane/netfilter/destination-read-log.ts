import { type DestinationRead, type DestinationReadLog, type KernelPacket, withDestinationOf } from './kernel-packet.js'
import { recordUnknownPortReads } from './read-set.js'

export function createDestinationReadLog(outer: DestinationReadLog | undefined): DestinationReadLog {
  return { queries: [], isTranslated: false, outer }
}

/**
 * Calls `evaluate`, which reads the destination of a packet, and returns the result. Records the read in all
 * destination logs of the packet.
 */
export function recordDestinationRead<T>(packet: KernelPacket, evaluate: (packet: KernelPacket) => T): T {
  const result = evaluate(packet)
  for (let log = packet.destinationLog; log !== undefined; log = log.outer)
    log.queries.push({ packet, evaluate, result })
  return result
}

/**
 * Reports whether all recorded reads have the same results for another packet. The other packet differs only in its
 * destination.
 */
export function haveEqualResults(queries: readonly DestinationRead[], other: KernelPacket): boolean {
  // The packet with the other destination is built once for consecutive reads of the same packet, which is the usual
  // case.
  let previous: KernelPacket | undefined
  let changed = other
  for (const { packet, evaluate, result } of queries) {
    if (packet !== previous) changed = withDestinationOf(packet, other)
    previous = packet
    if (evaluate(changed) !== result) return false
  }
  return true
}

/** The destination of a packet after DNAT or another translation. */
interface NewDestination {
  readonly address: string
  readonly port: number
  readonly by: KernelPacket['translatedBy']
}

/** Returns the packet with a translated destination. Records the translation in the destination logs and the read set. */
export function withDestination(packet: KernelPacket, { address, port, by }: NewDestination): KernelPacket {
  recordUnknownPortReads(packet.readSet)
  for (let log = packet.destinationLog; log !== undefined; log = log.outer) log.isTranslated = true
  return { ...packet, destination: address, destinationPort: port, translatedBy: by }
}
