import type { DiagnosedPacket } from './diagnosed-packet.js'

/** Returns a note if the source of a packet is unknown. */
export function noteUnknownSource(explanations: readonly DiagnosedPacket[]): readonly string[] {
  return explanations.some(({ packet }) => packet.isSourceUnknown) ? [NOTE] : []
}

const NOTE =
  'note: no address of the node is known, so rules for a source address are not decided; --node-address or --from ADDRESS sets the source'
