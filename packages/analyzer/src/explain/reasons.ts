import type { Endpoint } from '@kube-rules/compiler/internal/model/endpoints/endpoint'
import {
  type Decision,
  type DecisionReason,
  type EndpointCandidate,
  type FrontendDecision,
  isNodeAddress,
} from '@kube-rules/compiler/internal/plan/decide'
import type { Plan } from '@kube-rules/compiler/internal/plan/plan'
import type { Packet } from '@kube-rules/types'
import type { AddressNames } from './address-names.js'
import { formatList } from './format-list.js'
import { explainUnmatchedDestination, FRONTEND_LABELS } from './no-service.js'
import { describeMissingEndpoints, describeMissingLocalEndpoints } from './unusable-endpoints.js'

type PlainReason = Exclude<DecisionReason, 'policy' | 'noEndpoints' | 'noLocalEndpoints' | 'proxy'>

const REASONS: Readonly<Record<PlainReason, string>> = {
  offCluster: 'the source is not a pod, so the packet is masqueraded to route the reply through this node',
  masqueradeAll: 'the configuration masquerades everything sent to cluster IPs',
  podShortCircuit: 'pods reach all endpoints of a Service with policy Local, as through its cluster IP',
  nodeShortCircuit: 'the node itself reaches all endpoints of a Service with policy Local',
  sourceRange: 'no source range of the Service contains its source',
  localhostNodePort: 'node ports of this protocol are rejected on loopback addresses',
}

/** Returns the reason for a decision as one sentence without a full stop. */
export function explainDecision(decision: Decision, packet: Packet, plan: Plan, names: AddressNames): string {
  switch (decision.kind) {
    case 'unmatched':
      return explainUnmatchedDestination(packet, plan, names)
    case 'healthCheck':
      return 'it is a health check of a Service with policy Local, which the node itself serves'
    case 'proxy':
      return proxyReason(decision.candidates) + affinityReason(decision, plan)
    default:
      return (
        explainFrontendDecision(decision, plan) + localReason(decision, packet, plan) + affinityReason(decision, plan)
      )
  }
}

/**
 * Explains a decision of the userspace proxy. The rules only redirect packets to this process, which accepts the
 * connection and chooses the endpoint.
 */
function proxyReason(candidates: readonly EndpointCandidate[]): string {
  const taken = 'kube-proxy itself accepts the connection'
  if (candidates.length === 0)
    return `${taken}; without endpoints it closes TCP connections at once and drops UDP packets`
  const endpoints = formatList(candidates.map(({ endpoint }) => endpoint.text))
  const [goes, see] =
    candidates.length === 1 ? [`sends it to ${endpoints}`, 'sees'] : [`sends it to one of ${endpoints}`, 'see']
  return `${taken} and ${goes}, which ${see} the node as its source`
}

/** Returns the reason for a decision at a frontend as one sentence without a full stop. */
export function explainFrontendDecision(at: FrontendDecision, plan: Plan): string {
  switch (at.reason) {
    case 'policy':
      return policyReason(at, plan)
    case 'noEndpoints':
      return `the Service has ${describeMissingEndpoints(endpointsOfDecision(at, plan))}`
    case 'noLocalEndpoints':
      return `the traffic policy is Local, and ${describeMissingLocalEndpoints(endpointsOfDecision(at, plan))}`
    case 'proxy':
      return proxyReason([])
    default:
      return REASONS[at.reason]
  }
}

/** Returns all known endpoints of the deciding service port. */
export function endpointsOfDecision({ servicePort }: FrontendDecision, { services }: Plan): readonly Endpoint[] {
  return services.find(({ id }) => id === servicePort)?.endpoints ?? []
}

/** Describes the session affinity of a Service with several possible endpoints; empty without affinity. */
function affinityReason(decision: Extract<Decision, FrontendDecision>, { services }: Plan): string {
  const seconds = services.find(({ id }) => id === decision.servicePort)?.affinitySeconds
  const isChoice = 'candidates' in decision && decision.candidates.length > 1
  return seconds === undefined || !isChoice ? '' : `; ${formatAffinity(seconds)}`
}

/** Describes the effect of session affinity. */
export function formatAffinity(seconds: number): string {
  return `session affinity: a client goes to its previous endpoint again for ${seconds} s`
}

/**
 * Describes the endpoints with an address of this node, such as pods in its network, if the reason is that packets are
 * masqueraded: packets to these endpoints are not. Empty if there are none.
 */
function localReason(decision: Extract<Decision, FrontendDecision>, { origin }: Packet, { node }: Plan): string {
  if (!('candidates' in decision) || origin === 'node' || !isOfMasquerading(decision)) return ''
  const local = decision.candidates.filter(({ endpoint }) => isNodeAddress(node, endpoint.ip))
  const names = formatList(local.map(({ endpoint }) => endpoint.text))
  return local.length === 0 ? '' : `; packets to ${names} stay on this node and keep their source`
}

/** Reports whether a decision is for the reason that packets have to be masqueraded. */
function isOfMasquerading({ reason, frontend }: FrontendDecision): boolean {
  if (reason !== 'policy') return reason === 'offCluster' || reason === 'masqueradeAll'
  return frontend.kind !== 'clusterIP' && frontend.clauses.every(({ masquerade }) => masquerade)
}

function policyReason(decision: FrontendDecision, { node }: Plan): string {
  if (decision.frontend.usesLocalPolicy)
    return 'the traffic policy is Local: only endpoints on this node; the client IP is preserved'
  if (isOfMasquerading(decision))
    return 'the traffic policy is Cluster: all endpoints, which see the node as the source'
  return node.localTrafficDetection === undefined
    ? 'the traffic policy is Cluster: all endpoints; without local traffic detection the client IP is preserved'
    : 'the traffic policy is Cluster: all endpoints; it comes from a pod, so the client IP is preserved'
}

/**
 * Formats the subject of a decision: `default/web:http, node port`. Returns an empty string if the decision belongs to
 * no Service.
 */
export function formatDecisionSubject(decision: Decision): string {
  if (decision.kind === 'unmatched') return ''
  const { text } = decision.servicePort
  return decision.kind === 'healthCheck'
    ? `${text}, health-check node port`
    : `${text}, ${FRONTEND_LABELS[decision.frontend.kind]}`
}
