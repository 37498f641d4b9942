import type { Endpoint } from '@kube-rules/compiler/internal/model/endpoints/endpoint'
import type { ServicePortId } from '@kube-rules/compiler/internal/model/services/service-port'
import { isFromPod } from '@kube-rules/compiler/internal/plan/decide'
import type { Plan } from '@kube-rules/compiler/internal/plan/plan'
import type { Packet } from '@kube-rules/types'
import { formatList } from '../explain/format-list.js'
import { endpointsOfDecision } from '../explain/reasons.js'
import { describeEndpointConditions, formatNodesWithEndpoints } from '../explain/unusable-endpoints.js'
import { findKnownPath, formatFate, isCertain } from './certainty.js'
import type { Diagnosis, DiagnosisStep } from './diagnosis.js'
import { diagnoseExcludedSource } from './excluded-source.js'
import { diagnoseMissingEndpoints } from './missing-endpoints.js'
import {
  type BlockingFrontend,
  createDiagnosisRule,
  type ExpectedHandling,
  formatPackets,
  formatService,
  type PacketDiagnosisContext,
  prefixWithNode,
} from './packet-diagnosis-context.js'
import { createClusterPolicyStep, formatServiceCommand, isShellSafeName, trafficPolicyFieldOf } from './remedies.js'

/** Explains why a Service rejects or drops a packet, provided that the rules match the objects. */
export function diagnoseRejection(facts: PacketDiagnosisContext): Diagnosis | undefined {
  const { expected, reason } = facts
  if (expected === undefined || reason?.divergence !== undefined) return undefined
  const { decision } = expected
  if (decision.kind !== 'reject' && decision.kind !== 'drop') return undefined
  switch (decision.reason) {
    case 'noEndpoints':
      return diagnoseMissingEndpoints(facts, decision, expected)
    case 'noLocalEndpoints':
      return noLocalEndpointsDiagnosis(facts, decision, expected)
    case 'sourceRange':
      return diagnoseExcludedSource(facts, decision, expected)
    default:
      return undefined
  }
}

function noLocalEndpointsDiagnosis(
  facts: PacketDiagnosisContext,
  { servicePort, frontend }: BlockingFrontend,
  expected: ExpectedHandling,
): Diagnosis | undefined {
  const path = findKnownPath(facts)
  const rule = path?.steps.at(-1)
  const { decision, plan } = expected
  if (path === undefined || rule === undefined || decision.kind !== 'drop') return undefined
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
      `${formatPackets(facts.packet)} ${formatFate(path, facts)}: ${servicePort.text} has no ${here.length === 0 ? '' : 'ready '}endpoint on this node`,
    ),
    cause: [
      `${policy} of ${object} is Local, so a node uses only its own endpoints`,
      ...here,
      ...describeOtherNodes(endpoints),
      ...describeUndetectedPod(facts.packet, plan),
      ...(isCertain(path, facts) ? ['the rules of this node are correct'] : []),
    ].join('; '),
    steps: frontend.kind === 'clusterIP' ? podHereSteps(servicePort, expected) : otherNodesSteps(decision, expected),
    object,
    ...createDiagnosisRule(rule, describeMarkRule(facts)),
  }
}

/**
 * Describes a pod that kube-proxy takes for an external client, because its address is not in the network of pods. Pods
 * otherwise reach all endpoints at external addresses.
 */
function describeUndetectedPod(packet: Packet, { node: { localTrafficDetection: by } }: Plan): readonly string[] {
  return packet.origin === 'pod' && by?.kind === 'cidr' && !isFromPod(by, packet)
    ? [
        `kube-proxy takes pod ${packet.source} for an external client, because its network of pods is ${by.cidr.text} (clusterCIDR): correct it if pods have other addresses`,
      ]
    : []
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
