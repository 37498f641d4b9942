import { joinHostPort } from '@kube-rules/types/internal/ip'
import type { Diagnosis } from './diagnosis.js'
import { describeHairpinEffect, diagnoseMissingLoopBack } from './hairpin-effect.js'
import { createDiagnosisRule, findEndpointStep, type PacketDiagnosisContext } from './packet-diagnosis-context.js'
import { createRestartStep, VERIFY_STEP } from './remedies.js'

/**
 * Diagnoses hairpin traffic without masquerading: a packet that returns to the pod that sent it, with the address of
 * the pod as source.
 */
export function diagnoseHairpin({
  packet,
  paths,
  reason,
  expected,
  missingLoopBack,
}: PacketDiagnosisContext): Diagnosis | undefined {
  const path = paths.find(
    ({ outcome }) => outcome.kind === 'delivered' && outcome.address === packet.source && !outcome.masqueraded,
  )
  const step = path && findEndpointStep(path)
  if (path?.outcome.kind !== 'delivered' || step === undefined || expected?.decision.kind !== 'endpoints')
    return undefined
  // Packets of the node are skipped: the node itself is then the endpoint and needs no reply path. Mode limitations are
  // reported separately.
  if (packet.origin === 'node' || reason?.divergence !== 'drift') return undefined
  const { servicePort } = expected.decision
  const { address, port } = path.outcome
  const lacked = missingLoopBack(address, port, packet.protocol)
  const about = { code: 'hairpinNotMasqueraded', plan: expected.plan, servicePort, address } as const
  if (lacked !== undefined) return diagnoseMissingLoopBack(about, lacked)
  return {
    ...describeHairpinEffect(about),
    cause: `the node has to change the source address in this case, and no rule does so for ${joinHostPort(address, port)}`,
    steps: [createRestartStep(expected.plan), VERIFY_STEP],
    ...createDiagnosisRule(step, 'sends it to itself'),
  }
}
