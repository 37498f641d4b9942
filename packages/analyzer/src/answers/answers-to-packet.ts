import type { Answer } from './answer.js'
import { claimedTwiceAnswer } from './claimed-twice.js'
import { emptyVirtualServerAnswer } from './empty-virtual-server.js'
import { establishedAnswer } from './established.js'
import { foreignRuleAnswer } from './foreign-rules.js'
import { hairpinAnswer } from './hairpin.js'
import { ignoredHintsAnswer } from './ignored-hints.js'
import { modeLimitAnswer } from './mode-limit.js'
import type { PacketFacts } from './packet-facts.js'
import { refusalAnswer } from './refusals.js'
import { refusedRulesAnswer } from './refused-rules.js'
import { versionChangeAnswer } from './version-change.js'

/** Diagnoses a packet, of an existing flow if `isEstablished`. Returns an empty list if there is no problem. */
export function answersToPacket(facts: PacketFacts, isEstablished: boolean): readonly Answer[] {
  const found = [
    isEstablished ? establishedAnswer(facts) : undefined,
    fateAnswer(facts),
    claimedTwiceAnswer(facts),
    ignoredHintsAnswer(facts),
    hairpinAnswer(facts),
  ]
  return found.flatMap((answer) => answer ?? [])
}

/** Returns the one cause that decides the outcome of the packet. */
function fateAnswer(facts: PacketFacts): Answer | undefined {
  return (
    // Rules that fail to load have no effect.
    refusedRulesAnswer(facts) ??
    foreignRuleAnswer(facts) ??
    versionChangeAnswer(facts) ??
    emptyVirtualServerAnswer(facts) ??
    refusalAnswer(facts) ??
    modeLimitAnswer(facts)
  )
}
