import type { ServicePortId } from '@kube-rules/compiler/internal/model/services/service-port'
import { findClaimants } from '@kube-rules/compiler/internal/plan/decide'
import type { Frontend } from '@kube-rules/compiler/internal/plan/plan'
import { FRONTEND_LABELS } from '../explain/no-service.js'
import type { Diagnosis, DiagnosisStep } from './diagnosis.js'
import {
  createDiagnosisRule,
  findEndpointStep,
  formatPackets,
  formatService,
  type PacketDiagnosisContext,
  prefixWithNode,
} from './packet-diagnosis-context.js'
import { formatServiceCommand } from './remedies.js'

/** Diagnoses an address and port that several service ports claim. Only one of these service ports gets packets. */
export function diagnoseAddressConflict({ packet, paths, expected }: PacketDiagnosisContext): Diagnosis | undefined {
  const decision = expected?.decision
  if (expected === undefined || decision === undefined || !('frontend' in decision)) return undefined
  const { servicePort: winner, frontend } = decision
  const others = findClaimants(expected.plan, packet).filter(({ servicePort }) => servicePort !== winner)
  const [other] = others
  const step = paths[0] && findEndpointStep(paths[0])
  if (other === undefined || step === undefined) return undefined
  const [object, loser] = [formatService(winner), formatService(other.servicePort)]
  return {
    code: 'claimedTwice',
    summary: prefixWithNode(
      expected.plan,
      `two service ports use the same address and port: ${formatPackets(packet)} go to ${winner.text}, never to ${other.servicePort.text}`,
    ),
    cause: `the ${FRONTEND_LABELS[frontend.kind]} of ${object} and the ${FRONTEND_LABELS[other.frontend.kind]} of ${loser} are the same; kube-proxy in ${expected.mode} mode selects one of them at random, and may select the other one after a restart`,
    steps: [moveStep(other.servicePort, other.frontend)],
    object,
    ...createDiagnosisRule(step),
  }
}

/**
 * Returns a step that moves a service port to another port or address, because it receives no packets at the present
 * one.
 */
function moveStep(service: ServicePortId, { kind, port }: Frontend): DiagnosisStep {
  const change =
    kind === 'nodePort'
      ? `Change nodePort ${port} of ${formatService(service)} to a free port of the node port range (30000-32767 by default)`
      : `Change the ${FRONTEND_LABELS[kind]} of ${formatService(service)}, or its port ${port}`
  return {
    text: `${change}; with kubectl`,
    command: formatServiceCommand(service, (namespace, name) => `kubectl -n ${namespace} edit svc ${name}`),
    impact: `every client of the Service must use the new ${kind === 'nodePort' ? 'node port' : 'address or port'}`,
  }
}
