import { formatDestination } from '@kube-rules/compiler/internal/dataplane/netfilter/format-destination'
import { preferKnownPaths } from '../../program/missing-content.js'
import { isCertain } from '../certainty.js'
import type { Diagnosis, DiagnosisStep } from '../diagnosis.js'
import { createDiagnosisRule, findEndpointStep, type PacketDiagnosisContext } from '../packet-diagnosis-context.js'
import { createUnnamedService, findServiceOfRules } from '../service-of-packet.js'
import { RESTART_TEXT, WHOLE_DUMP_TEXT } from './words.js'

/** Diagnoses a packet that returns to the pod that sent it with the address of the pod as source, from the rules alone. */
export function diagnoseReturnedPacket(facts: PacketDiagnosisContext): Diagnosis | undefined {
  const { paths, packet } = facts
  const { source, destination: address, destinationPort: port, protocol } = packet
  if (packet.origin === 'node') return undefined
  const path = preferKnownPaths(paths).find(
    ({ outcome }) => outcome.kind === 'delivered' && outcome.address === source && !outcome.masqueraded,
  )
  const step = path && findEndpointStep(path)
  if (path?.outcome.kind !== 'delivered' || step === undefined) return undefined
  const isWhole = facts.state.coverage === undefined
  const state = isWhole ? 'no rule masquerades them' : 'the dump does not show whether a rule masquerades them'
  return {
    code: 'hairpinNotMasqueraded',
    summary: `Packets from ${source} to ${formatDestination({ address, port, protocol })} ${isCertain(path, facts) ? 'return' : 'may return'} to their sender: ${state}`,
    cause:
      'a pod discards packets from its own address, so the node has to change the source of packets that return to it',
    steps: isWhole
      ? [
          ...addEntrySteps(facts, path.outcome),
          { text: `Let kube-proxy write the rule for such packets again: ${RESTART_TEXT}` },
        ]
      : [{ text: WHOLE_DUMP_TEXT }],
    object: (findServiceOfRules(facts) ?? createUnnamedService(facts)).object,
    ...createDiagnosisRule(step, 'sends it to itself'),
  }
}

/** Returns the step that adds the missing entry of the set for such packets, which only ipvs mode has. */
function addEntrySteps(
  { packet, missingLoopBack }: PacketDiagnosisContext,
  { address, port }: { readonly address: string; readonly port: number },
): readonly DiagnosisStep[] {
  const missing = missingLoopBack(address, port, packet.protocol)
  if (missing === undefined) return []
  return [
    {
      text: 'Add the entry to the set of such packets, as root on the node',
      command: `ipset add ${missing.set} ${missing.entry}`,
      change: { kind: 'addSetEntry', ...missing },
    },
  ]
}
