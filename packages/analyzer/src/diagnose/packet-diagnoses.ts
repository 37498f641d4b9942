import { diagnoseRejection } from './blocked-packets.js'
import { duplicateClaimDiagnosis } from './claimed-twice.js'
import type { Diagnosis } from './diagnosis.js'
import { emptyVirtualServerDiagnosis } from './empty-virtual-server.js'
import { establishedDiagnosis } from './established.js'
import { foreignNatDiagnosis } from './foreign-nat.js'
import { foreignRuleDiagnosis } from './foreign-rules.js'
import { hairpinDiagnosis } from './hairpin.js'
import { ignoredHintsDiagnosis } from './ignored-hints.js'
import { invalidRulesDiagnosis } from './invalid-rules.js'
import { modeLimitDiagnosis } from './mode-limit.js'
import type { PacketFacts } from './packet-facts.js'
import { versionChangeDiagnosis } from './version-change.js'

/** Diagnoses a packet, of an existing flow if `isEstablished`. Returns an empty list if there is no problem. */
export function packetDiagnoses(facts: PacketFacts, isEstablished: boolean): readonly Diagnosis[] {
  const found = [
    isEstablished ? establishedDiagnosis(facts) : undefined,
    lostPacketDiagnosis(facts),
    duplicateClaimDiagnosis(facts),
    ignoredHintsDiagnosis(facts),
    hairpinDiagnosis(facts),
  ]
  return found.flatMap((diagnosis) => diagnosis ?? [])
}

/** Returns the one cause that decides the outcome of the packet. */
function lostPacketDiagnosis(facts: PacketFacts): Diagnosis | undefined {
  return (
    // Rules that fail to load have no effect.
    invalidRulesDiagnosis(facts) ??
    foreignRuleDiagnosis(facts) ??
    foreignNatDiagnosis(facts) ??
    versionChangeDiagnosis(facts) ??
    emptyVirtualServerDiagnosis(facts) ??
    diagnoseRejection(facts) ??
    modeLimitDiagnosis(facts)
  )
}
