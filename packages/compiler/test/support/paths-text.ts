import { joinHostPort } from '@kube-rules/types/internal/ip'
import { DECISION_LABELS } from '../../../analyzer/src/explain/difference.js'
import type { TracePath } from '../../../analyzer/src/trace/trace-paths.js'
import type { Decision } from '../../src/plan/decide.js'

/**
 * Formats paths as `10.244.1.1:80* 1/3` for a masqueraded endpoint, or as one word. Sorted, and comparable between a
 * trace and a decision.
 */
export function pathsText(paths: readonly TracePath[]): readonly string[] {
  return paths.map(pathText).sort()
}

function pathText({ outcome, weight, assumptions }: TracePath): string {
  const given = assumptions.map(({ condition, value }) => ` if ${value ? '' : 'not '}${condition}`).join('')
  if (outcome.kind === 'unknown') return `unknown: ${outcome.reason}${given}`
  if (outcome.kind !== 'delivered') return outcome.kind + given
  return formatEndpointOutcome(joinHostPort(outcome.address, outcome.port), outcome.masqueraded, weight) + given
}

/** Formats a decision in the notation of `pathsText`. */
export function formatDecision(decision: Decision): readonly string[] {
  if (decision.kind !== 'endpoints') return [DECISION_LABELS[decision.kind]]
  return decision.candidates
    .map(({ endpoint: { text }, weight: { denominator }, masquerade }) =>
      formatEndpointOutcome(text, masquerade, denominator === 1 ? '1' : `1/${denominator}`),
    )
    .sort()
}

function formatEndpointOutcome(endpoint: string, masqueraded: boolean, weight: string): string {
  return `${endpoint}${masqueraded ? '*' : ''} ${weight}`
}
