import { type KernelPacket, withDestinationOf } from './kernel-packet.js'

/**
 * What the destination of a packet is asked on a part of its way. A packet that differs in nothing but its destination, and gives
 * the same answers, goes the same way there.
 */
export interface DestinationLog {
  readonly questions: DestinationQuestion[]
  /** Whether the packet was given another destination on the way, which tells nothing of others. */
  isTranslated: boolean
  /** That of a longer part of the way, which has this one in it. */
  readonly outer: DestinationLog | undefined
}

/** Asked of the packet as it was there. */
export interface DestinationQuestion {
  readonly packet: KernelPacket
  readonly ask: (packet: KernelPacket) => unknown
  readonly answer: unknown
}

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
