import { preferKnownPaths } from '../../program/missing-content.js'
import type { Diagnosis } from '../diagnosis.js'
import type { PacketDiagnosisContext } from '../packet-diagnosis-context.js'
import { diagnoseBlockingRule, diagnoseOutdatedRejection } from './blocked-by-rule.js'
import { diagnoseIncompleteDump } from './incomplete-dump.js'
import { diagnoseVirtualServer } from './ipvs-servers.js'
import { diagnoseReturnedPacket } from './returned-packet.js'
import { diagnoseUnhandled } from './unhandled.js'

/**
 * Diagnoses a packet that a part of the rules rejects although the objects have endpoints. Without the rest of the rules,
 * it is not known whether the node differs from the objects, but this rule does.
 */
export function diagnoseByPartOfRules(facts: PacketDiagnosisContext): Diagnosis | undefined {
  if (facts.expected?.decision.kind !== 'endpoints') return undefined
  const diagnoses = preferKnownPaths(facts.paths).flatMap((path) => diagnoseOutdatedRejection(path, facts) ?? [])
  return diagnoses[0]
}

/**
 * Diagnoses a packet that the rules of kube-proxy do not deliver, if there are no objects to compare with. The rules
 * show what decides, but not whether kube-proxy should have other rules, so each diagnosis shows how to find out.
 */
export function diagnoseByRules(facts: PacketDiagnosisContext): Diagnosis | undefined {
  if (facts.expected !== undefined) return undefined
  for (const path of preferKnownPaths(facts.paths)) {
    const diagnosis =
      diagnoseBlockingRule(path, facts) ?? diagnoseVirtualServer(path, facts) ?? diagnoseUnhandled(path, facts)
    if (diagnosis !== undefined) return diagnosis
  }
  return diagnoseReturnedPacket(facts) ?? diagnoseIncompleteDump(facts)
}
