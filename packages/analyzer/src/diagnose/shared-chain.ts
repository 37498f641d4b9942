import { formatServicePort } from '@kube-rules/compiler/internal/model/services/format-service-port'
import type { PathStep } from '../program/steps.js'
import type { Diagnosis, DiagnosisStep } from './diagnosis.js'
import type { DiagnosedService } from './foreign-rule.js'
import {
  createDiagnosisRule,
  formatOutcomes,
  formatPackets,
  type PacketDiagnosisContext,
  prefixWithNode,
} from './packet-diagnosis-context.js'
import { formatServiceCommand } from './remedies.js'
import { parseOwner } from './service-of-packet.js'

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
  if (expected !== undefined && (reason?.divergence === undefined || !('frontend' in expected.decision)))
    return undefined
  const own = expected && 'frontend' in expected.decision ? expected.decision.servicePort : undefined
  const found = paths.flatMap(({ steps }) => findForeignStep(steps, own && formatServicePort(own)) ?? [])[0]
  const service = found && parseOwner(found.owner)
  if (found === undefined || service === undefined) return undefined
  const { step } = found
  const { text, object } = service
  const other = step.servicePort.replace(/\/[A-Z]+$/, '')
  return {
    code: 'sharedChain',
    summary: prefixWithNode(
      expected?.plan,
      `${formatPackets(packet)} ${formatOutcomes(paths)} of ${other} instead of ${text}: kube-proxy uses the same chains for both`,
    ),
    cause: `kube-proxy names chains by a hash of the namespace, the Service and the port, and both hashes are equal; ${step.chain} has the rules of both, and those of ${other} come first`,
    steps: [renamePort(service)],
    object,
    ...createDiagnosisRule(step),
  }
}

/**
 * Returns the first step in a chain of a service port that belongs to another one, with the owner of the jump to it.
 * `own` is the service port of the packet, if it is known.
 */
function findForeignStep(
  steps: readonly PathStep[],
  own: string | undefined,
): { readonly step: PathStep; readonly owner: string } | undefined {
  for (const [index, step] of steps.entries()) {
    const { jumpsTo, servicePort: owner } = steps[index - 1] ?? { jumpsTo: '', servicePort: '' }
    const isOfOther = owner !== '' && step.servicePort !== owner && step.servicePort !== ''
    if (isOfOther && owner === (own ?? owner) && jumpsTo === step.chain) return { step, owner }
  }
  return undefined
}

function renamePort({ namespace, name, text, object }: DiagnosedService): DiagnosisStep {
  const [, portName = ''] = text.split(':')
  const to = `${portName === '' ? 'port' : portName.slice(0, LONGEST_PORT_NAME - 2)}-2`
  const from = portName === '' ? 'the port' : `port ${portName}`
  return {
    text: `Give ${from} of ${object} another name, such as ${to}; with kubectl`,
    command: formatServiceCommand(
      { namespace, name },
      (inNamespace, service) => `kubectl -n ${inNamespace} edit svc ${service}`,
    ),
    change: { kind: 'renamePort', namespace, name, from: portName, to },
    impact:
      'objects that refer to the port by its name, such as an Ingress, need the new name; an EndpointSlice without a controller too',
  }
}
