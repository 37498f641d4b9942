import type { Endpoint } from '@kube-rules/compiler/internal/model/endpoints/endpoint'
import type { ServicePortId } from '@kube-rules/compiler/internal/model/services/service-port'
import { FRONTEND_LABELS } from '../explain/no-service.js'
import { endpointsOfDecision } from '../explain/reasons.js'
import { describeEndpointConditions, formatEndpoint } from '../explain/unusable-endpoints.js'
import { findKnownPath, formatFate } from './certainty.js'
import type { Diagnosis, DiagnosisStep } from './diagnosis.js'
import { describeEndpointGap, type EndpointGap } from './endpoint-gaps.js'
import {
  type BlockingFrontend,
  createDiagnosisRule,
  type ExpectedHandling,
  formatPackets,
  formatService,
  type PacketDiagnosisContext,
  prefixWithNode,
} from './packet-diagnosis-context.js'
import { formatServiceCommand, isShellSafeName, prependCondition } from './remedies.js'

/** Reports a packet that is rejected because its Service has no usable endpoint, and why it has none. */
export function diagnoseMissingEndpoints(
  facts: PacketDiagnosisContext,
  { servicePort, frontend }: BlockingFrontend,
  expected: ExpectedHandling,
): Diagnosis | undefined {
  const { plan, decision } = expected
  const path = findKnownPath(facts)
  const rule = path?.steps.at(-1)
  if (path === undefined || rule === undefined || decision.kind !== 'reject') return undefined
  const endpoints = endpointsOfDecision(decision, plan)
  const gap = endpoints.length === 0 ? expected.endpointGapOf(servicePort) : undefined
  const object = formatService(servicePort)
  const place = `${FRONTEND_LABELS[frontend.kind]} ${frontend.address ?? `${frontend.port}/${servicePort.protocol}`}`
  const claim = `${place} belongs to ${object}${frontend.kind === 'nodePort' ? ' on every node, even if another process listens on it' : ''}`
  const lack = endpoints.length === 0 ? 'no endpoints' : 'no ready endpoint'
  return {
    code: 'rejectedNoEndpoints',
    summary: prefixWithNode(
      plan,
      `${formatPackets(facts.packet)} ${formatFate(path, facts)}: ${servicePort.text} has ${lack}`,
    ),
    cause: [
      `${claim}, and kube-proxy rejects packets without a usable endpoint`,
      ...describeEndpointConditions(endpoints, formatEndpoint),
      ...describeEndpointGap(gap, servicePort),
    ].join('; '),
    steps: [
      ...(endpoints.length === 0 ? gapSteps(gap, servicePort) : readySteps(servicePort, endpoints, expected)),
      ...(frontend.kind === 'nodePort' ? [portOfProcessStep(frontend.port)] : []),
    ],
    object,
    ...createDiagnosisRule(rule),
  }
}

function gapSteps(gap: EndpointGap | undefined, service: ServicePortId): readonly DiagnosisStep[] {
  const object = formatService(service)
  const listSlices = formatServiceCommand(
    service,
    (namespace, name) => `kubectl -n ${namespace} get endpointslices -l kubernetes.io/service-name=${name} -o yaml`,
  )
  switch (gap?.kind) {
    case 'noPort':
      return [
        {
          text: `Set targetPort of ${object} to the number, or to the name of a container port of its pods; kubectl shows targetPort`,
          command: formatServiceCommand(service, (namespace, name) => `kubectl -n ${namespace} describe svc ${name}`),
        },
      ]
    case 'noSelector':
      return [
        {
          text: `Create an EndpointSlice with the label kubernetes.io/service-name: ${service.name} in namespace ${service.namespace}, with the addresses that ${object} sends packets to`,
        },
        deleteStep(service),
      ]
    case 'hostNames':
      return [
        {
          text: `List IP addresses in the EndpointSlice of ${object} instead, with addressType IPv4 or IPv6; kubectl shows it`,
          command: listSlices,
        },
        {
          text: `If clients can use DNS, replace ${object} with a Service of type ExternalName`,
          impact: 'clients then connect to the port of the host itself, and kube-proxy has no part in it',
        },
      ]
    case 'noListedPort':
      return [
        {
          text: `Give the port in ${gap.lister} and the port of ${object} the same name; kubectl shows it`,
          command: listSlices,
        },
      ]
    default:
      return [findPodsStep(gap?.selector ?? '', service), deleteStep(service)]
  }
}

function findPodsStep(selector: string, service: ServicePortId): DiagnosisStep {
  const pods = selector === '' ? `matches the selector of ${formatService(service)}` : `has the labels ${selector}`
  return {
    text: `Start a pod that ${pods}, and wait until it is ready; kubectl shows the selector`,
    command: formatServiceCommand(service, (namespace, name) => `kubectl -n ${namespace} describe svc ${name}`),
  }
}

function deleteStep(service: ServicePortId): DiagnosisStep {
  return {
    text: 'If the Service is not needed, delete it with kubectl',
    command: formatServiceCommand(service, (namespace, name) => `kubectl -n ${namespace} delete svc ${name}`),
  }
}

/** Returns a step that shows why pods are not ready: for a single known pod its events, else the list of pods. */
function readySteps(
  service: ServicePortId,
  endpoints: readonly Endpoint[],
  { podOf }: ExpectedHandling,
): readonly DiagnosisStep[] {
  const [pod, ...others] = endpoints.flatMap((endpoint) => podOf(service, endpoint) ?? [])
  const known = pod !== undefined && isShellSafeName(pod) ? pod : undefined
  const list = formatServiceCommand(service, (namespace) => `kubectl -n ${namespace} get pods -o wide`)
  if (known === undefined) {
    return [{ text: 'Find out with kubectl why the pods with these addresses are not ready', command: list }]
  }
  return [
    {
      text: `Find out with kubectl why pod ${known} is not ready: its conditions and events name the failed container or readiness probe`,
      command: formatServiceCommand(service, (namespace) => `kubectl -n ${namespace} describe pod ${known}`),
    },
    ...(others.length === 0 ? [] : [{ text: prependCondition('For the other pods', 'List them'), command: list }]),
  ]
}

function portOfProcessStep(port: number): DiagnosisStep {
  return {
    text: `If a process on the node listens on port ${port}, give it a port outside the node port range (30000-32767 by default)`,
  }
}
