import type { Candidate, Decision } from './decide.js'

/**
 * A decision in the words in which a trace can be told, too, sorted: `10.244.1.1:80* 1/3` for an endpoint, masqueraded, or
 * one word.
 */
export function decisionText(decision: Decision): readonly string[] {
  switch (decision.outcome) {
    case 'endpoints':
      return decision.candidates.map(candidateText).sort()
    case 'proxy':
      return ['proxy']
    case 'reject':
      return ['rejected']
    case 'drop':
      return ['dropped']
    case 'passes':
    case 'healthCheck':
      return ['passes']
  }
}

function candidateText({ endpoint, weight: { denominator }, masquerade }: Candidate): string {
  return endText(endpoint.text, masquerade, denominator === 1 ? '1' : `1/${denominator}`)
}

/** The word for an endpoint: `10.244.1.1:80* 1/3`. */
export function endText(endpoint: string, masqueraded: boolean, weight: string): string {
  return `${endpoint}${masqueraded ? '*' : ''} ${weight}`
}
