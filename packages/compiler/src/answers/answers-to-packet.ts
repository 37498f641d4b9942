import type { Answer } from './answer.js'
import type { PacketFacts } from './packet-facts.js'
import { refusalAnswer } from './refusals.js'

/** What there is to say about a packet, the first reason that decides first; empty where all is as it should be. */
export function answersToPacket(facts: PacketFacts): readonly Answer[] {
  return [refusalAnswer(facts)].flatMap((answer) => answer ?? [])
}
