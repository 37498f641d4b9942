import type { Endpoint } from '@kube-rules/compiler/internal/model/endpoints/endpoint'
import type { AtFrontend, Candidate, Decision, DecisionReason } from '@kube-rules/compiler/internal/plan/decide'
import type { Plan } from '@kube-rules/compiler/internal/plan/plan'
import type { Packet } from '@kube-rules/types'
import { listText } from './list-text.js'
import { FRONTENDS, noServiceReason, type OtherNodes } from './no-service.js'
import { noEndpointText, noLocalEndpointText } from './unusable-endpoints.js'

type PlainReason = Exclude<DecisionReason, 'policy' | 'noEndpoints' | 'noLocalEndpoints' | 'proxy'>

const REASONS: Readonly<Record<PlainReason, string>> = {
  offCluster: 'it does not come from a pod, so its source is replaced for the answer to come back this way',
  masqueradeAll: 'the configuration masquerades everything sent to cluster IPs',
  podShortCircuit: 'pods reach all endpoints of a Service with policy Local, as they do by its cluster IP',
  nodeShortCircuit: 'the node itself reaches all endpoints of a Service with policy Local',
  sourceRange: 'its source is in none of the ranges that the Service accepts',
  localhostNodePort: 'node ports of this protocol are refused on loopback addresses',
}

/** Why a plan decides as it does about a packet, in one sentence without a full stop. */
export function reasonOf(decision: Decision, packet: Packet, plan: Plan, nodes: OtherNodes): string {
  switch (decision.outcome) {
    case 'passes':
      return noServiceReason(packet, plan, nodes)
    case 'healthCheck':
      return 'it is for the health check of a Service with policy Local, which the node answers itself'
    case 'proxy':
      return proxyReason(decision.candidates)
    default:
      return frontendReason(decision, plan)
  }
}

/** Rules end at the process; where it goes on from there they do not say. */
function proxyReason(candidates: readonly Candidate[]): string {
  const taken = 'kube-proxy itself takes the connection'
  if (candidates.length === 0) return `${taken}; without endpoints it closes one over TCP at once, and drops UDP`
  const endpoints = listText(candidates.map(({ endpoint }) => endpoint.text))
  const [goes, see] =
    candidates.length === 1 ? [`sends it to ${endpoints}`, 'sees'] : [`sends it to one of ${endpoints}`, 'see']
  return `${taken} and ${goes}, which ${see} the node as its source`
}

function frontendReason(at: AtFrontend, plan: Plan): string {
  switch (at.reason) {
    case 'policy':
      return policyReason(at, plan)
    case 'noEndpoints':
      return `the Service has ${noEndpointText(endpointsOf(at, plan))}`
    case 'noLocalEndpoints':
      return `the traffic policy is Local, and ${noLocalEndpointText(endpointsOf(at, plan))}`
    case 'proxy':
      return proxyReason([])
    default:
      return REASONS[at.reason]
  }
}

/** Every known endpoint of the service port that decides. */
export function endpointsOf({ servicePort }: AtFrontend, { services }: Plan): readonly Endpoint[] {
  return services.find(({ id }) => id === servicePort)?.endpoints ?? []
}

function policyReason({ frontend }: AtFrontend, { node }: Plan): string {
  if (frontend.policyLocal) return 'the traffic policy is Local: only endpoints on this node, which see its source'
  if (frontend.kind !== 'clusterIP')
    return 'the traffic policy is Cluster: all endpoints, which see the node as its source'
  return node.podTraffic === undefined
    ? 'the traffic policy is Cluster: all endpoints; pods cannot be told from others, so they see its source'
    : 'it comes from a pod, and the traffic policy is Cluster: all endpoints, which see its source'
}

/** `default/web:http, node port`; empty for what is for no Service. */
export function subjectOf(decision: Decision): string {
  if (decision.outcome === 'passes') return ''
  const { text } = decision.servicePort
  return decision.outcome === 'healthCheck'
    ? `${text}, health-check node port`
    : `${text}, ${FRONTENDS[decision.frontend.kind]}`
}
