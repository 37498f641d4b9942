import { formatDestination } from '@kube-rules/compiler/internal/dataplane/netfilter/format-destination'
import { joinHostPort } from '@kube-rules/types/internal/ip'
import type { TracePath } from '../../trace/trace-paths.js'
import { isCertain } from '../certainty.js'
import type { Diagnosis, DiagnosisStep } from '../diagnosis.js'
import {
  createDiagnosisRule,
  formatPackets,
  type PacketDiagnosisContext,
  prefixWithNode,
} from '../packet-diagnosis-context.js'
import { createRepairScriptStep } from '../remedies.js'
import { findServiceOfPacket } from '../service-of-packet.js'

/**
 * Diagnoses a real server that ipvs routes or tunnels packets to. kube-proxy creates real servers that translate the
 * destination; otherwise, a pod receives packets to an address that it does not have.
 */
export function diagnoseForwardingMethod(facts: PacketDiagnosisContext): Diagnosis | undefined {
  if (!isOfKubeProxy(facts)) return undefined
  for (const path of facts.paths) {
    const diagnosis = diagnosePath(path, facts)
    if (diagnosis !== undefined) return diagnosis
  }
  return undefined
}

/** Reports whether the virtual server of the packet is one of kube-proxy. Load balancers on a node may route packets. */
function isOfKubeProxy({ packet, expected, state }: PacketDiagnosisContext): boolean {
  return expected === undefined
    ? state.addresses?.addresses.includes(packet.destination) === true
    : 'frontend' in expected.decision
}

function diagnosePath(path: TracePath, facts: PacketDiagnosisContext): Diagnosis | undefined {
  const { outcome, steps } = path
  const step = steps.find(({ table, text }) => table === 'ipvs' && UNTRANSLATED.test(text))
  if (step === undefined || outcome.kind !== 'delivered') return undefined
  const { packet, expected } = facts
  const { destination: address, destinationPort: port, protocol } = packet
  const server = joinHostPort(outcome.address, outcome.port)
  const place = formatDestination({ address, port, protocol })
  const method = / -i(?: |$)/.test(step.text) ? 'tunnels' : 'routes'
  return {
    code: 'outdatedRule',
    summary: prefixWithNode(
      expected?.plan,
      `${formatPackets(packet)} ${isCertain(path, facts) ? 'are' : 'may be'} lost at ${server}: ipvs ${method} them to this real server instead of translating their destination`,
    ),
    cause: `the pod receives packets to ${place}, an address that it does not have; kube-proxy creates real servers with forwarding method Masq (-m), so another program or person created this one`,
    steps: [correctionStep(facts)],
    object: findServiceOfPacket(facts)?.object ?? `the Service at ${place}`,
    ...createDiagnosisRule(step),
  }
}

/** Returns the step for the real server. It is not tried, because a trace does not show that the pod discards packets. */
function correctionStep({ expected }: PacketDiagnosisContext): DiagnosisStep {
  if (expected !== undefined) return { text: createRepairScriptStep(expected.plan).text }
  return {
    text: 'Find out which program created the real server; if none did, delete it as root on the node, and kube-proxy adds its own',
  }
}

/** Matches a real server with forwarding method Route (`-g`) or Tunnel (`-i`). */
const UNTRANSLATED = /^-a .* -[gi](?: |$)/
