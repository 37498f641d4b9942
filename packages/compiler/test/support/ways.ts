import { joinHostPort } from '@kube-rules/types'
import type { Way } from '../../../analyzer/src/trace/trace-ways.js'
import { endText } from '../../src/plan/decision-text.js'

/**
 * Formats paths as `10.244.1.1:80* 1/3` for a masqueraded endpoint, or as one word. Sorted, and comparable between a
 * trace and a decision.
 */
export function waysText(ways: readonly Way[]): readonly string[] {
  return ways.map(wayText).sort()
}

function wayText({ outcome, weight, assumptions }: Way): string {
  const given = assumptions.map(({ what, holds }) => ` if ${holds ? '' : 'not '}${what}`).join('')
  if (outcome.kind === 'unknown') return `unknown: ${outcome.reason}${given}`
  if (outcome.kind !== 'delivered') return outcome.kind + given
  return endText(joinHostPort(outcome.address, outcome.port), outcome.masqueraded, weight) + given
}
