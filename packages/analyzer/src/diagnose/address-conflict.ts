import { type Claimant, findClaimants } from '@kube-rules/compiler/internal/plan/decide'
import { FRONTEND_LABELS } from '../explain/no-service.js'
import { findContenders } from '../plan/contested-packets.js'
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

/**
 * Diagnoses an address and port that several service ports claim. kube-proxy selects one of them at random, unless only
 * one of them can get packets.
 */
export function diagnoseAddressConflict({ packet, paths, expected }: PacketDiagnosisContext): Diagnosis | undefined {
  const decision = expected?.decision
  if (expected === undefined || decision === undefined || !('frontend' in decision)) return undefined
  const { servicePort: winner, frontend } = decision
  const others = findClaimants(expected.plan, packet).filter(({ servicePort }) => servicePort !== winner)
  const [other] = others
  const step = paths[0] && findEndpointStep(paths[0])
  if (other === undefined || step === undefined) return undefined
  const contenders = findContenders(expected, packet).map(({ servicePort }) => servicePort)
  const isRandom = contenders.includes(winner) && contenders.length > 1
  const rival = others.find(({ servicePort }) => contenders.includes(servicePort)) ?? other
  const moved = isRandom ? selectMoved({ servicePort: winner, frontend }, rival) : rival
  const [object, loser] = [formatService(winner), formatService(rival.servicePort)]
  const effect = isRandom
    ? `go to one of ${winner.text} and ${rival.servicePort.text} at random`
    : `go to ${winner.text}, never to ${rival.servicePort.text}`
  const selection = isRandom
    ? `kube-proxy in ${expected.mode} mode selects one of them at random, and may select another one after a restart or an update`
    : `kube-proxy in ${expected.mode} mode always selects the first one`
  return {
    code: 'claimedTwice',
    summary: prefixWithNode(
      expected.plan,
      `two service ports use the same address and port: ${formatPackets(packet)} ${effect}`,
    ),
    cause: `the ${FRONTEND_LABELS[frontend.kind]} of ${object} and the ${FRONTEND_LABELS[rival.frontend.kind]} of ${loser} are the same; ${selection}`,
    steps: [moveStep(moved)],
    object,
    ...createDiagnosisRule(step),
  }
}

/** Returns the service port to move. Its cluster IP comes from the API server, so another address is moved first. */
function selectMoved(winner: Claimant, rival: Claimant): Claimant {
  return rival.frontend.kind === 'clusterIP' && winner.frontend.kind !== 'clusterIP' ? winner : rival
}

/** Returns a step that moves a service port to another port or address, where no other service port gets its packets. */
function moveStep({ servicePort: service, frontend: { kind, port } }: Claimant): DiagnosisStep {
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
