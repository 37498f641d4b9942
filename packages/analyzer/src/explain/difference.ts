import type { Assumption } from '@kube-rules/compiler/internal/dataplane/netfilter/branch'
import type { Decision } from '@kube-rules/compiler/internal/plan/decide'
import { DECISION_WORDS } from '@kube-rules/compiler/internal/plan/decision-text'
import { joinHostPort, type Outcome } from '@kube-rules/types'
import { asFarAsGiven, dependsOnOtherRules } from '../dataplane/netfilter/missing.js'
import type { Way } from '../trace/trace-ways.js'

/**
 * The kind of a deviation of the rules from the plan. `rules`: the rules deviate. `mode`: the rules of kube-proxy would
 * deviate in the same way, because of a mode limitation. `unknown`: a deviation depends on an unknown condition.
 */
export type DifferenceKind = 'rules' | 'mode' | 'unknown'

export interface Difference {
  readonly kind: DifferenceKind
  /** The expected outcomes according to the plan: endpoints, or one word. */
  readonly asked: readonly string[]
}

/**
 * Returns the deviation of paths from a decision; `compiled` are the paths through the rules of kube-proxy, if they are
 * known.
 */
export function differenceOf(
  decision: Decision,
  ways: readonly Way[],
  compiled: (() => readonly Way[]) | undefined,
): Difference | undefined {
  const asked = outcomesOfDecision(decision)
  const given = asFarAsGiven(ways)
  const done = outcomesOfWays(given)
  if (isSame(asked, done)) return undefined
  // Missing content may provide the expected outcome.
  if (dependsOnOtherRules(ways) || mayAgree(asked, given)) return { kind: 'unknown', asked }
  return { kind: compiled !== undefined && isSame(outcomesOfWays(compiled()), done) ? 'mode' : 'rules', asked }
}

/** Formats an outcome: `10.244.1.1:8080, masqueraded` or one word. */
export function outcomeText(outcome: Outcome): string {
  switch (outcome.kind) {
    case 'delivered':
      return endpointText(joinHostPort(outcome.address, outcome.port), outcome.masqueraded)
    case 'proxy':
      return `to the proxy, at port ${outcome.port}`
    case 'unknown':
      return `cannot be determined: ${outcome.reason}`
    case 'passes':
      return 'passes'
    case 'rejected':
    case 'dropped':
      return outcome.kind
  }
}

/** Returns the distinct outcomes, sorted. */
export function outcomesOfWays(ways: readonly Way[]): readonly string[] {
  return [...new Set(ways.map(({ outcome }) => comparedText(outcome)))].sort()
}

/** Formats an outcome for comparison, without the port of a process, which a plan does not contain. */
function comparedText(outcome: Outcome): string {
  return outcome.kind === 'proxy' ? PROXY : outcomeText(outcome)
}

const PROXY = 'to the proxy'

function outcomesOfDecision(decision: Decision): readonly string[] {
  if (decision.outcome === 'proxy') return [PROXY]
  if (decision.outcome !== 'endpoints') return [DECISION_WORDS[decision.outcome]]
  return decision.candidates.map(({ endpoint, masquerade }) => endpointText(endpoint.text, masquerade)).sort()
}

function endpointText(endpoint: string, masqueraded: boolean): string {
  return masqueraded ? `${endpoint}, masqueraded` : endpoint
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.join('\n') === b.join('\n')
}

/** Reports whether all paths may have expected outcomes for some value of the unknown conditions. */
function mayAgree(asked: readonly string[], ways: readonly Way[]): boolean {
  const isUnknown = ({ outcome }: Way) => outcome.kind === 'unknown'
  const isAsked = (way: Way) => isUnknown(way) || asked.includes(comparedText(way.outcome))
  return ways.filter(isAsked).some(({ assumptions: given }) => {
    const possible = ways.filter(({ assumptions }) => !assumptions.some((each) => includes(given, opposite(each))))
    const certain = possible.filter(({ assumptions }) => assumptions.every((each) => includes(given, each)))
    const reached = outcomesOfWays(possible)
    return certain.every(isAsked) && (possible.some(isUnknown) || asked.every((each) => reached.includes(each)))
  })
}

function opposite({ what, holds }: Assumption): Assumption {
  return { what, holds: !holds }
}

function includes(assumptions: readonly Assumption[], { what, holds }: Assumption): boolean {
  return assumptions.some((each) => each.what === what && each.holds === holds)
}
