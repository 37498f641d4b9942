import type { Decision, DecisionReason } from '@kube-rules/compiler/internal/plan/decide'
import type { Plan } from '@kube-rules/compiler/internal/plan/plan'
import { endpointsOf } from './reasons.js'
import { describeMissingEndpoints, describeMissingLocalEndpoints } from './unusable-endpoints.js'

const SHORT_REASONS: Readonly<Record<Exclude<DecisionReason, 'policy' | 'noEndpoints' | 'noLocalEndpoints'>, string>> =
  {
    offCluster: 'not from a pod',
    masqueradeAll: 'masqueradeAll',
    podShortCircuit: 'all endpoints, as by the cluster IP',
    nodeShortCircuit: 'all endpoints, as by the cluster IP',
    sourceRange: 'from no source range',
    localhostNodePort: 'not on loopback',
    proxy: 'to one of the endpoints',
  }

/** Returns the reason of a decision, in a few words for a table. */
export function summarizeReason(decision: Decision, plan: Plan): string {
  if (decision.kind === 'unmatched') return 'no Service'
  if (decision.kind === 'healthCheck') return 'health check'
  switch (decision.reason) {
    case 'policy':
      return decision.frontend.usesLocalPolicy ? 'policy Local' : 'policy Cluster'
    case 'noEndpoints':
      return describeMissingEndpoints(endpointsOf(decision, plan))
    case 'noLocalEndpoints':
      return `policy Local, and ${describeMissingLocalEndpoints(endpointsOf(decision, plan))}`
    default:
      return SHORT_REASONS[decision.reason]
  }
}
