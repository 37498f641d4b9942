import { joinHostPort } from '@kube-rules/types'
import type { Way } from '../../../analyzer/src/trace/trace-ways.js'
import { endText } from '../../src/plan/decision-text.js'

/** `10.244.1.1:80* 1/3` for an endpoint, masqueraded, or one word: what a trace and a decision can both say, sorted. */
export function waysText(ways: readonly Way[]): readonly string[] {
  return ways.map(wayText).sort()
}

function wayText({ outcome, weight, assumptions }: Way): string {
  const given = assumptions.map(({ what, holds }) => ` if ${holds ? '' : 'not '}${what}`).join('')
  if (outcome.kind === 'unknown') return `unknown: ${outcome.reason}${given}`
  if (outcome.kind !== 'delivered') return outcome.kind + given
  return endText(joinHostPort(outcome.address, outcome.port), outcome.masqueraded, weight) + given
}
