import { formatServicePort } from '@kube-rules/compiler/internal/model/services/format-service-port'
import type { ServicePortId } from '@kube-rules/compiler/internal/model/services/service-port'
import type { PathStep } from '../program/steps.js'
import type { Diagnosis, DiagnosisStep } from './diagnosis.js'
import {
  createDiagnosisRule,
  formatOutcomes,
  formatPackets,
  formatService,
  type PacketDiagnosisContext,
  prefixWithNode,
} from './packet-diagnosis-context.js'
import { formatServiceCommand } from './remedies.js'

/** The longest name of a port that Kubernetes allows. */
const LONGEST_PORT_NAME = 63

/**
 * Diagnoses a packet that reaches the endpoints of another service port, because the chains of both have the same name.
 * The name of a chain is a hash of the names of the service port, so another name of the port is another chain.
 */
export function diagnoseSharedChain({
  packet,
  paths,
  reason,
  expected,
}: PacketDiagnosisContext): Diagnosis | undefined {
  if (expected === undefined || reason?.divergence === undefined || !('frontend' in expected.decision)) return undefined
  const { servicePort } = expected.decision
  const step = paths.flatMap(({ steps }) => findForeignStep(steps, servicePort) ?? [])[0]
  if (step === undefined) return undefined
  const [object, other] = [formatService(servicePort), step.servicePort.replace(/\/[A-Z]+$/, '')]
  return {
    code: 'sharedChain',
    summary: prefixWithNode(
      expected.plan,
      `${formatPackets(packet)} ${formatOutcomes(paths)}, endpoints of ${other}: its chains have the same names as those of ${servicePort.text}`,
    ),
    cause: `kube-proxy names chains by a hash of the namespace, the Service and the port, and both hashes are equal; ${step.chain} has the rules of both, and those of ${other} come first`,
    steps: [renamePort(servicePort)],
    object,
    ...createDiagnosisRule(step),
  }
}

/** Returns the first step in a chain of the service port that belongs to another one. */
function findForeignStep(steps: readonly PathStep[], own: ServicePortId): PathStep | undefined {
  const owner = formatServicePort(own)
  return steps.find((step, index) => {
    const { jumpsTo, servicePort } = steps[index - 1] ?? { jumpsTo: '', servicePort: '' }
    return servicePort === owner && jumpsTo === step.chain && step.servicePort !== owner && step.servicePort !== ''
  })
}

function renamePort(servicePort: ServicePortId): DiagnosisStep {
  const { namespace, name, portName } = servicePort
  const to = `${portName === '' ? 'port' : portName.slice(0, LONGEST_PORT_NAME - 2)}-2`
  const from = portName === '' ? 'the port' : `port ${portName}`
  return {
    text: `Give ${from} of ${formatService(servicePort)} another name, such as ${to}; with kubectl`,
    command: formatServiceCommand(
      servicePort,
      (inNamespace, service) => `kubectl -n ${inNamespace} edit svc ${service}`,
    ),
    change: { kind: 'renamePort', namespace, name, from: portName, to },
    impact:
      'objects that refer to the port by its name, such as an Ingress, need the new name; an EndpointSlice without a controller too',
  }
}
