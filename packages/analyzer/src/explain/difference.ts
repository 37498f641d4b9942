import type { Decision } from '@kube-rules/compiler/internal/plan/decide'
import type { Outcome } from '@kube-rules/types'
import { joinHostPort } from '@kube-rules/types/internal/ip'
import { checkPaths } from '../arguments/check-results.js'
import type { Assumption } from '../program/assumptions.js'
import { includesAssumption } from '../program/assumptions.js'
import { dependsOnMissingRules, dependsOnMissingTables, preferKnownPaths } from '../program/missing-content.js'
import type { TracePath } from '../trace/trace-paths.js'

/**
 * The kind of a deviation of the rules from the plan. `drift`: the rules deviate. `modeLimitation`: the rules of
 * kube-proxy would deviate in the same way. `undetermined`: the deviation depends on an unknown condition.
 */
export type Divergence = 'drift' | 'modeLimitation' | 'undetermined'

export interface OutcomeDivergence {
  readonly kind: Divergence
  /** The outcomes that the plan expects: endpoints, or a single word such as `rejected`. */
  readonly expected: readonly string[]
}

/**
 * Returns the deviation of paths from a decision. `compiled` returns the paths through the rules that kube-proxy would
 * write, if these rules are known.
 */
export function findDivergence(
  decision: Decision,
  paths: readonly TracePath[],
  compiled: (() => readonly TracePath[]) | undefined,
): OutcomeDivergence | undefined {
  const expected = outcomesOfDecision(decision)
  const knownPaths = preferKnownPaths(paths)
  const done = formatOutcomesOfPaths(knownPaths)
  if (isSame(expected, done)) return undefined
  // If the missing content or unknown conditions were known, the outcome might be the expected one.
  if (dependsOnMissingRules(paths) || mayAgree(expected, knownPaths)) return { kind: 'undetermined', expected }
  if (dependsOnMissingTables(paths) && !reachesOtherEndpoint(decision, knownPaths))
    return { kind: 'undetermined', expected }
  return {
    kind: compiled !== undefined && isSame(formatOutcomesOfPaths(compiled()), done) ? 'modeLimitation' : 'drift',
    expected,
  }
}

/**
 * Reports whether a packet certainly reaches an endpoint that the plan does not expect. Missing tables may masquerade,
 * drop or translate a packet, but the first translation of its destination counts.
 */
function reachesOtherEndpoint(decision: Decision, paths: readonly TracePath[]): boolean {
  if (decision.kind !== 'endpoints') return false
  const expected = decision.candidates.map(({ endpoint }) => endpoint.text)
  return paths.every(
    ({ outcome }) => outcome.kind === 'delivered' && !expected.includes(joinHostPort(outcome.address, outcome.port)),
  )
}

/** The beginning of the text of an unknown outcome. */
export const UNDETERMINED = 'cannot be determined'

/** Reports whether the rules of a node do not determine where a packet goes. Missing content has no effect here. */
export function isUndetermined(paths: readonly TracePath[]): boolean {
  checkPaths('paths', paths)
  return preferKnownPaths(paths).some(({ outcome }) => outcome.kind === 'unknown')
}

const MASQUERADED = ', masqueraded'

/** Formats an outcome: `10.244.1.1:8080, masqueraded`, or a single word such as `rejected`. */
export function formatOutcome(outcome: Outcome): string {
  switch (outcome.kind) {
    case 'delivered':
      return formatEndpoint(joinHostPort(outcome.address, outcome.port), outcome.masqueraded)
    case 'proxy':
      return `to the proxy, at port ${outcome.port}`
    case 'unknown':
      return `${UNDETERMINED}: ${outcome.reason}`
    case 'unmatched':
      return 'unmatched'
    case 'rejected':
    case 'dropped':
      return outcome.kind
  }
}

/** Returns the distinct outcomes, sorted. */
export function formatOutcomesOfPaths(paths: readonly TracePath[]): readonly string[] {
  return [...new Set(paths.map(({ outcome }) => describeReference(outcome)))].sort()
}

/** Returns the distinct outcomes without their masquerading, sorted. */
export function omitMasquerading(outcomes: readonly string[]): readonly string[] {
  return [...new Set(outcomes.map((text) => text.replace(MASQUERADED, '')))].sort()
}

/**
 * Formats an outcome for comparison with the plan. Omits the local port of the userspace proxy, because a plan does not
 * contain it.
 */
function describeReference(outcome: Outcome): string {
  return outcome.kind === 'proxy' ? PROXY : formatOutcome(outcome)
}

const PROXY = 'to the proxy'

/** The labels of decisions without an endpoint. Traces use the same labels. */
export const DECISION_LABELS: Readonly<Record<Exclude<Decision['kind'], 'endpoints'>, string>> = {
  proxy: 'proxy',
  reject: 'rejected',
  drop: 'dropped',
  unmatched: 'unmatched',
  healthCheck: 'unmatched',
}

function outcomesOfDecision(decision: Decision): readonly string[] {
  if (decision.kind === 'proxy') return [PROXY]
  if (decision.kind !== 'endpoints') return [DECISION_LABELS[decision.kind]]
  return decision.candidates.map(({ endpoint, masquerade }) => formatEndpoint(endpoint.text, masquerade)).sort()
}

function formatEndpoint(endpoint: string, masqueraded: boolean): string {
  return masqueraded ? endpoint + MASQUERADED : endpoint
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.join('\n') === b.join('\n')
}

/** Reports whether the unknown conditions can have values that give all paths an expected outcome. */
function mayAgree(expected: readonly string[], paths: readonly TracePath[]): boolean {
  const isUnknown = ({ outcome }: TracePath) => outcome.kind === 'unknown'
  const isExpected = (path: TracePath) => isUnknown(path) || expected.includes(describeReference(path.outcome))
  return paths.filter(isExpected).some(({ assumptions: given }) => {
    const possible = paths.filter(
      ({ assumptions }) => !assumptions.some((each) => includesAssumption(given, opposite(each))),
    )
    const certain = possible.filter(({ assumptions }) => assumptions.every((each) => includesAssumption(given, each)))
    const reached = formatOutcomesOfPaths(possible)
    return certain.every(isExpected) && (possible.some(isUnknown) || expected.every((each) => reached.includes(each)))
  })
}

function opposite({ condition, value }: Assumption): Assumption {
  return { condition, value: !value }
}
