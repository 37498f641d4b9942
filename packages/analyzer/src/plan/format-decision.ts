import type { Decision, EndpointCandidate } from '@kube-rules/compiler/internal/plan/decide'

/** The labels of decisions without an endpoint. Traces use the same labels. */
export const DECISION_LABELS: Readonly<Record<Exclude<Decision['kind'], 'endpoints'>, string>> = {
  proxy: 'proxy',
  reject: 'rejected',
  drop: 'dropped',
  unmatched: 'unmatched',
  healthCheck: 'unmatched',
}

/**
 * Formats a decision as sorted lines, in the notation of traces: `10.244.1.1:80* 1/3` for an endpoint with
 * masquerading, one word for any other kind of decision.
 */
export function formatDecision(decision: Decision): readonly string[] {
  if (decision.kind !== 'endpoints') return [DECISION_LABELS[decision.kind]]
  return decision.candidates.map(candidateText).sort()
}

function candidateText({ endpoint, weight: { denominator }, masquerade }: EndpointCandidate): string {
  return formatEndpointOutcome(endpoint.text, masquerade, denominator === 1 ? '1' : `1/${denominator}`)
}

/** Formats an endpoint: `10.244.1.1:80* 1/3`. */
export function formatEndpointOutcome(endpoint: string, masqueraded: boolean, weight: string): string {
  return `${endpoint}${masqueraded ? '*' : ''} ${weight}`
}
