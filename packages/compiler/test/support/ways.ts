import { joinHostPort } from '@kube-rules/types'
import type { Decision } from '../../src/plan/decide.js'
import type { Way } from '../../src/trace/trace.js'

/** `10.244.1.1:80* 1/3` for an endpoint, masqueraded, or one word: what a trace and a decision can both say, sorted. */
export function waysText(ways: readonly Way[]): readonly string[] {
  return ways.map(wayText).sort()
}

function wayText({ outcome, weight, assumptions }: Way): string {
  const given = assumptions.map(({ what, holds }) => ` if ${holds ? '' : 'not '}${what}`).join('')
  if (outcome.kind === 'unknown') return `unknown: ${outcome.reason}${given}`
  if (outcome.kind !== 'delivered') return outcome.kind + given
  return candidateText(joinHostPort(outcome.address, outcome.port), outcome.masqueraded, weight) + given
}

export function decisionText(decision: Decision): readonly string[] {
  switch (decision.outcome) {
    case 'endpoints':
      return decision.candidates
        .map(({ endpoint, weight: { denominator }, masquerade }) =>
          candidateText(endpoint.text, masquerade, denominator === 1 ? '1' : `1/${denominator}`),
        )
        .sort()
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

function candidateText(endpoint: string, masqueraded: boolean, weight: string): string {
  return `${endpoint}${masqueraded ? '*' : ''} ${weight}`
}
