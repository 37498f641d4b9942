import { type DestinationLog, type DestinationQuestion, type KernelPacket, withDestinationOf } from './kernel-packet.js'

export function nothingLogged(outer: DestinationLog | undefined): DestinationLog {
  return { questions: [], isTranslated: false, outer }
}

/** What is found out about a packet, its destination among it; written down where somebody wants to know. */
export function askDestination<T>(packet: KernelPacket, ask: (packet: KernelPacket) => T): T {
  const answer = ask(packet)
  for (let log = packet.destinationLog; log !== undefined; log = log.outer) log.questions.push({ packet, ask, answer })
  return answer
}

/** Whether another packet gives the same answers to all of the questions: one that differs in its destination alone. */
export function answersAlike(questions: readonly DestinationQuestion[], other: KernelPacket): boolean {
  // Most questions are asked of one packet, which nothing has changed in between.
  let asked: KernelPacket | undefined
  let like = other
  for (const { packet, ask, answer } of questions) {
    if (packet !== asked) like = withDestinationOf(packet, other)
    asked = packet
    if (ask(like) !== answer) return false
  }
  return true
}

/** A place to which a packet is translated. */
interface NewDestination {
  readonly address: string
  readonly port: number
  readonly by: KernelPacket['translatedBy']
}

/** The packet with another destination. */
export function withDestination(packet: KernelPacket, { address, port, by }: NewDestination): KernelPacket {
  for (let log = packet.destinationLog; log !== undefined; log = log.outer) log.isTranslated = true
  return { ...packet, destination: address, destinationPort: port, translatedBy: by }
}
