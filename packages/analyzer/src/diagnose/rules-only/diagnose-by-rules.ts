import { preferKnownPaths } from '../../program/missing-content.js'
import type { Diagnosis } from '../diagnosis.js'
import type { PacketDiagnosisContext } from '../packet-diagnosis-context.js'
import { diagnoseBlockingRule } from './blocked-by-rule.js'
import { diagnoseIncompleteDump } from './incomplete-dump.js'
import { diagnoseVirtualServer } from './ipvs-servers.js'
import { diagnoseMissingFrontend } from './missing-frontend.js'
import { diagnoseMissingElement, diagnoseMissingEndpoint, diagnoseOtherEndpoint } from './part-of-endpoints.js'
import { diagnoseReturnedPacket } from './returned-packet.js'
import { diagnoseUnhandled } from './unhandled.js'

/**
 * Diagnoses a packet if a part of the rules does not show whether the outcome is that of the objects: by a rule that
 * differs from the objects, or else by what is missing.
 */
export function diagnoseByPartOfRules(facts: PacketDiagnosisContext): Diagnosis | undefined {
  if (facts.reason?.divergence !== 'undetermined' || facts.state.coverage === undefined) return undefined
  const servers = preferKnownPaths(facts.paths).flatMap((path) => diagnoseVirtualServer(path, facts) ?? [])
  return (
    servers[0] ??
    diagnoseOtherEndpoint(facts) ??
    diagnoseMissingEndpoint(facts) ??
    diagnoseMissingElement(facts) ??
    diagnoseIncompleteDump(facts)
  )
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
  return diagnoseReturnedPacket(facts) ?? diagnoseMissingFrontend(facts) ?? diagnoseIncompleteDump(facts)
}
