import type { Endpoint } from '@kube-rules/compiler/internal/model/endpoints/endpoint'
import type { ServicePortId } from '@kube-rules/compiler/internal/model/services/service-port'
import type { Decision } from '@kube-rules/compiler/internal/plan/decide'
import { formatList } from '../explain/format-list.js'
import { FRONTEND_LABELS } from '../explain/no-service.js'
import { endpointsOfDecision } from '../explain/reasons.js'
import { describeEndpointConditions, formatEndpoint, formatNodesWithEndpoints } from '../explain/unusable-endpoints.js'
import type { Diagnosis, DiagnosisStep } from './diagnosis.js'
import {
  createDiagnosisRule,
  type ExpectedHandling,
  findDecidingStep,
  formatPackets,
  formatService,
  type PacketDiagnosisContext,
  prefixWithNode,
} from './packet-diagnosis-context.js'
import { createClusterPolicyStep, formatServiceCommand, isShellSafeName, trafficPolicyFieldOf } from './remedies.js'

type BlockingFrontend = Extract<Decision, { readonly kind: 'reject' | 'drop' }>

/** Explains why a Service rejects or drops a packet, provided that the rules match the objects. */
export function diagnoseRejection(facts: PacketDiagnosisContext): Diagnosis | undefined {
  const { expected, reason } = facts
  if (expected === undefined || reason?.divergence !== undefined) return undefined
  const { decision } = expected
  if (decision.kind !== 'reject' && decision.kind !== 'drop') return undefined
  switch (decision.reason) {
    case 'noEndpoints':
      return noEndpointsDiagnosis(facts, decision, expected)
    case 'noLocalEndpoints':
      return noLocalEndpointsDiagnosis(facts, decision, expected)
    default:
      return undefined
  }
}

function noEndpointsDiagnosis(
  facts: PacketDiagnosisContext,
  { servicePort, frontend }: BlockingFrontend,
  { plan, decision }: ExpectedHandling,
): Diagnosis | undefined {
  const rule = findDecidingStep(facts)
  if (rule === undefined || decision.kind !== 'reject') return undefined
  const conditions = describeEndpointConditions(endpointsOfDecision(decision, plan), formatEndpoint)
  const object = formatService(servicePort)
  const place = `${FRONTEND_LABELS[frontend.kind]} ${frontend.address ?? `${frontend.port}/${servicePort.protocol}`}`
  const claim = `${place} belongs to ${object}${frontend.kind === 'nodePort' ? ' on every node, even if another process listens on it' : ''}`
  const lack = conditions.length === 0 ? 'no endpoints' : 'no ready endpoint'
  return {
    code: 'rejectedNoEndpoints',
    summary: prefixWithNode(plan, `${formatPackets(facts.packet)} are rejected: ${servicePort.text} has ${lack}`),
    cause: [`${claim}, and kube-proxy rejects packets without a usable endpoint`, ...conditions].join('; '),
    steps: [
      ...(conditions.length === 0 ? findPodsSteps(servicePort) : [readyStep(servicePort)]),
      ...(frontend.kind === 'nodePort' ? [portOfProcessStep(frontend.port)] : []),
    ],
    object,
    ...createDiagnosisRule(rule),
  }
}

function findPodsSteps(service: ServicePortId): readonly DiagnosisStep[] {
  return [
    {
      text: `Start a pod that matches the selector of ${formatService(service)}, and wait until it is ready; kubectl shows the selector`,
      command: formatServiceCommand(service, (namespace, name) => `kubectl -n ${namespace} describe svc ${name}`),
    },
    {
      text: 'If the Service is not needed, delete it with kubectl',
      command: formatServiceCommand(service, (namespace, name) => `kubectl -n ${namespace} delete svc ${name}`),
    },
  ]
}

function readyStep(service: ServicePortId): DiagnosisStep {
  return {
    text: 'Find out with kubectl why the pods with these addresses are not ready',
    command: formatServiceCommand(service, (namespace) => `kubectl -n ${namespace} get pods -o wide`),
  }
}

function portOfProcessStep(port: number): DiagnosisStep {
  return {
    text: `If a process on the node listens on port ${port}, give it a port outside the node port range (30000-32767 by default)`,
  }
}

function noLocalEndpointsDiagnosis(
  facts: PacketDiagnosisContext,
  { servicePort, frontend }: BlockingFrontend,
  expected: ExpectedHandling,
): Diagnosis | undefined {
  const rule = findDecidingStep(facts)
  const { decision, plan } = expected
  if (rule === undefined || decision.kind !== 'drop') return undefined
  const policy = trafficPolicyFieldOf(frontend.kind)
  const endpoints = endpointsOfDecision(decision, plan)
  const here = describeEndpointConditions(
    endpoints.filter(({ local }) => local),
    ({ text }) => text,
  )
  const object = formatService(servicePort)
  return {
    code: 'droppedNoLocalEndpoints',
    summary: prefixWithNode(
      plan,
      `${formatPackets(facts.packet)} are dropped: ${servicePort.text} has no ${here.length === 0 ? '' : 'ready '}endpoint on this node`,
    ),
    cause: [
      `${policy} of ${object} is Local, so a node uses only its own endpoints`,
      ...here,
      ...describeOtherNodes(endpoints),
      'the rules of this node are correct',
    ].join('; '),
    steps: frontend.kind === 'clusterIP' ? podHereSteps(servicePort, expected) : otherNodesSteps(decision, expected),
    object,
    ...createDiagnosisRule(rule, describeMarkRule(facts)),
  }
}

/** Lists the nodes with endpoints. If no node had an endpoint, the packets would be rejected instead of dropped. */
function describeOtherNodes(endpoints: readonly Endpoint[]): readonly string[] {
  const nodes = formatNodesWithEndpoints(endpoints)
  return nodes === '' ? [] : [`nodes with endpoints: ${nodes}`]
}

function podHereSteps(service: ServicePortId, { plan }: ExpectedHandling): readonly DiagnosisStep[] {
  const { name: node } = plan.node
  return [
    {
      text: 'Run a ready pod of the Service on this node; kubectl lists the pods on the node',
      command: isShellSafeName(node)
        ? formatServiceCommand(
            service,
            (namespace) => `kubectl -n ${namespace} get pods -o wide --field-selector spec.nodeName=${node}`,
          )
        : undefined,
    },
    createClusterPolicyStep('internalTrafficPolicy', service, 'If pods on other nodes are acceptable'),
  ]
}

/** Steps that direct external packets to other nodes, for example by the health checks of the load balancer. */
function otherNodesSteps(
  decision: BlockingFrontend,
  { plan, healthChecks }: ExpectedHandling,
): readonly DiagnosisStep[] {
  const { servicePort, frontend } = decision
  const { namespace, name } = servicePort
  const nodes = nodesWithEndpoint(endpointsOfDecision(decision, plan))
  const target = nodes.length === 0 ? 'nodes with an endpoint' : formatList(nodes)
  const sender =
    frontend.kind === 'loadBalancer'
      ? `Configure the load balancer, or the router that announces ${frontend.address}, to send to ${target} only`
      : `Send to ${target} instead`
  const health = healthChecks.find((each) => each.namespace === namespace && each.name === name)
  return [
    {
      text: `${sender}${health === undefined ? '' : `, or let it send HTTP health checks to port ${health.port} of the nodes: nodes with an endpoint answer 200, the others, such as this one, 503`}`,
    },
    createClusterPolicyStep(
      'externalTrafficPolicy',
      servicePort,
      'Or, if every node has to accept the packets',
      health?.port,
    ),
  ]
}

function nodesWithEndpoint(endpoints: readonly Endpoint[]): readonly string[] {
  return [...new Set(endpoints.flatMap(({ ready, nodeName }) => (ready && nodeName !== '' ? nodeName : [])))]
}

/** Describes the rule for packets that an old version marks instead of dropping them. */
function describeMarkRule({ paths }: PacketDiagnosisContext): string {
  const isMarked = paths.some(({ steps }) => steps.some(({ jumpsTo }) => jumpsTo === 'KUBE-MARK-DROP'))
  return isMarked ? `for packets that KUBE-MARK-DROP marks, ${OF_KUBE_MARK_DROP}` : ''
}

const OF_KUBE_MARK_DROP = 'a chain of kube-proxy before 1.25 and of the kubelet before 1.28'
