import type { AtFrontend, Decision, DecisionReason } from '../plan/decide.js'
import type { FrontendKind, Plan } from '../plan/plan.js'

const FRONTENDS: Readonly<Record<FrontendKind, string>> = {
  clusterIP: 'cluster IP',
  externalIP: 'external IP',
  loadBalancer: 'load-balancer IP',
  nodePort: 'node port',
}

const REASONS: Readonly<Record<Exclude<DecisionReason, 'policy'>, string>> = {
  offCluster: 'it does not come from a pod, so its source is replaced for the answer to come back this way',
  masqueradeAll: 'the configuration masquerades everything sent to cluster IPs',
  podShortCircuit: 'pods reach all endpoints of a Service with policy Local, as they do by its cluster IP',
  nodeShortCircuit: 'the node itself reaches all endpoints of a Service with policy Local',
  noEndpoints: 'the Service has no endpoint that could take it',
  noLocalEndpoints: 'the traffic policy is Local, and no endpoint on this node could take it',
  sourceRange: 'its source is in none of the ranges that the Service accepts',
}

/** Why a plan decides as it does, in one sentence without a full stop. */
export function reasonOf(decision: Decision, plan: Plan): string {
  switch (decision.outcome) {
    case 'passes':
      return 'no Service has this address, port and protocol here'
    case 'healthCheck':
      return 'it is for the health check of a Service with policy Local, which the node answers itself'
    default:
      return decision.reason === 'policy' ? policyReason(decision, plan) : REASONS[decision.reason]
  }
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
