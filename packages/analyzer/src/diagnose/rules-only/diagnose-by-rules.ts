import { preferKnownPaths } from '../../program/missing-content.js'
import type { Diagnosis } from '../diagnosis.js'
import type { PacketDiagnosisContext } from '../packet-diagnosis-context.js'
import { diagnoseBlockingRule } from './blocked-by-rule.js'
import { diagnoseVirtualServer } from './ipvs-servers.js'
import { diagnoseUnhandled } from './unhandled.js'

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
  return undefined
}
