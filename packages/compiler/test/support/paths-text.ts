import { joinHostPort } from '@kube-rules/types/internal/ip'
import { formatEndpointOutcome } from '../../../analyzer/src/plan/format-decision.js'
import type { TracePath } from '../../../analyzer/src/trace/trace-paths.js'

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
