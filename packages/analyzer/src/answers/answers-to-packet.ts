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

/** What there is to say about a packet of a flow that `isEstablished` or a first one; empty where all is as it should be. */
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

/** The one reason that decides what becomes of it. */
function fateAnswer(facts: PacketFacts): Answer | undefined {
  return (
    // What cannot be loaded does nothing of what it says.
    refusedRulesAnswer(facts) ??
    foreignRuleAnswer(facts) ??
    versionChangeAnswer(facts) ??
    emptyVirtualServerAnswer(facts) ??
    refusalAnswer(facts) ??
    modeLimitAnswer(facts)
  )
}
