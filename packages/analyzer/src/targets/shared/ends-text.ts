import { endText } from '@kube-rules/compiler/internal/plan/decision-text'
import { joinHostPort } from '@kube-rules/types'
import type { End, Explanation, TracedPacket } from '../explanation.js'

/** A limitation that says in the words of `decisionText` what becomes of a packet instead; of nothing where it makes no difference. */
export function insteadOf(textsOf: (traced: TracedPacket) => readonly string[] | undefined): Explanation {
  const isSo = (traced: TracedPacket) => textsOf(traced)?.join('\n') === endsText(traced.ends)
  return { where: isSo, masquerade: isSo }
}

function endsText(ends: readonly End[]): string {
  return [...new Set(ends.map(textOf))].sort().join('\n')
}

function textOf({ outcome, weight }: End): string {
  if (outcome.kind !== 'delivered') return outcome.kind
  return endText(joinHostPort(outcome.address, outcome.port), outcome.masqueraded, weight)
}
