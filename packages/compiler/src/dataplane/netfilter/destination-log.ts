import { type DestinationLog, type DestinationQuestion, type KernelPacket, withDestinationOf } from './kernel-packet.js'

export function nothingLogged(outer: DestinationLog | undefined): DestinationLog {
  return { questions: [], isTranslated: false, outer }
}

/** Evaluates a function of a packet including its destination, and records it if the packet has a destination log. */
export function askDestination<T>(packet: KernelPacket, ask: (packet: KernelPacket) => T): T {
  const answer = ask(packet)
  for (let log = packet.destinationLog; log !== undefined; log = log.outer) log.questions.push({ packet, ask, answer })
  return answer
}

/** Reports whether a packet that differs only in its destination has equal results for all recorded reads. */
export function answersAlike(questions: readonly DestinationQuestion[], other: KernelPacket): boolean {
  // Most reads are of the same unchanged packet.
  let asked: KernelPacket | undefined
  let like = other
  for (const { packet, ask, answer } of questions) {
    if (packet !== asked) like = withDestinationOf(packet, other)
    asked = packet
    if (ask(like) !== answer) return false
  }
  return true
}

/** The address and port after translation. */
interface NewDestination {
  readonly address: string
  readonly port: number
  readonly by: KernelPacket['translatedBy']
}

/** Returns the packet with another destination. */
export function withDestination(packet: KernelPacket, { address, port, by }: NewDestination): KernelPacket {
  for (let log = packet.destinationLog; log !== undefined; log = log.outer) log.isTranslated = true
  return { ...packet, destination: address, destinationPort: port, translatedBy: by }
}
