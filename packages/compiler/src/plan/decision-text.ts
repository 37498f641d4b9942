import type { Candidate, Decision } from './decide.js'

/** Labels of decisions without an endpoint, shared with traces. */
export const DECISION_WORDS: Readonly<Record<Exclude<Decision['kind'], 'endpoints'>, string>> = {
  proxy: 'proxy',
  reject: 'rejected',
  drop: 'dropped',
  unmatched: 'unmatched',
  healthCheck: 'unmatched',
}

/**
 * Formats a decision in the same notation as a trace, sorted: `10.244.1.1:80* 1/3` for an endpoint with masquerading,
 * or one word.
 */
export function decisionText(decision: Decision): readonly string[] {
  if (decision.kind !== 'endpoints') return [DECISION_WORDS[decision.kind]]
  return decision.candidates.map(candidateText).sort()
}

function candidateText({ endpoint, weight: { denominator }, masquerade }: Candidate): string {
  return endText(endpoint.text, masquerade, denominator === 1 ? '1' : `1/${denominator}`)
}

/** Formats an endpoint: `10.244.1.1:80* 1/3`. */
export function endText(endpoint: string, masqueraded: boolean, weight: string): string {
  return `${endpoint}${masqueraded ? '*' : ''} ${weight}`
}
