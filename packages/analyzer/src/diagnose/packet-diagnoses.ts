import { diagnoseRejection } from './blocked-packets.js'
import { diagnoseDuplicateClaim } from './claimed-twice.js'
import type { Diagnosis } from './diagnosis.js'
import { diagnoseEmptyVirtualServer } from './empty-virtual-server.js'
import { diagnoseEstablishedFlow } from './established.js'
import { diagnoseForeignNat } from './foreign-nat.js'
import { diagnoseForeignRule } from './foreign-rules.js'
import { diagnoseHairpin } from './hairpin.js'
import { diagnoseIgnoredHints } from './ignored-hints.js'
import { diagnoseInvalidRules } from './invalid-rules.js'
import { diagnoseModeLimitation } from './mode-limit.js'
import type { PacketFacts } from './packet-facts.js'
import { diagnoseVersionChange } from './version-change.js'

/** Diagnoses a packet, of an existing flow if `isEstablished`. Returns an empty list if there is no problem. */
export function diagnosePacketFacts(facts: PacketFacts, isEstablished: boolean): readonly Diagnosis[] {
  const found = [
    isEstablished ? diagnoseEstablishedFlow(facts) : undefined,
    lostPacketDiagnosis(facts),
    diagnoseDuplicateClaim(facts),
    diagnoseIgnoredHints(facts),
    diagnoseHairpin(facts),
  ]
  return found.flatMap((diagnosis) => diagnosis ?? [])
}

/** Returns the one cause that decides the outcome of the packet. */
function lostPacketDiagnosis(facts: PacketFacts): Diagnosis | undefined {
  return (
    // Rules that fail to load have no effect.
    diagnoseInvalidRules(facts) ??
    diagnoseForeignRule(facts) ??
    diagnoseForeignNat(facts) ??
    diagnoseVersionChange(facts) ??
    diagnoseEmptyVirtualServer(facts) ??
    diagnoseRejection(facts) ??
    diagnoseModeLimitation(facts)
  )
}
