import { formatFraction, fractionToNumber } from '@kube-rules/compiler/internal/internal/fraction'
import { groupItems } from '@kube-rules/compiler/internal/internal/group-items'
import type { ModeDecision, ModeEnd } from '../targets/mode-decision.js'
import type { TracePath } from '../trace/trace-paths.js'
import { comparePaths, computeOutcomeDistribution } from './compare-paths.js'
import { withoutProxyPort } from './proxy-port.js'

/**
 * Reports whether traced paths have exactly the outcomes of a decision. If the outcomes depend on unknown conditions,
 * both have to have the same possible outcomes with the same probabilities.
 */
export function haveEqualEnds(paths: readonly TracePath[], { ends }: Pick<ModeDecision, 'ends'>): boolean {
  const [traced, decided] = [paths.map(withoutProxyPort), pathsOfEnds(ends)]
  if (ends.every(({ assumptions = [] }) => assumptions.length === 0)) return comparePaths(traced, decided) === 'same'
  const [some, others] = [possibleOutcomes(traced), possibleOutcomes(decided)]
  return some.size === others.size && [...some].every((text) => others.has(text))
}

/** Returns the outcomes under any assumptions. Outcomes with the same assumptions are summed, as for a repeated endpoint. */
function possibleOutcomes(paths: readonly TracePath[]): ReadonlySet<string> {
  const groups = groupItems(paths, ({ assumptions }) => JSON.stringify(assumptions))
  const distributions = Array.from(groups.values(), computeOutcomeDistribution)
  return new Set(distributions.flatMap((each) => Array.from(each, ([text, { weight }]) => `${weight} ${text}`)))
}

/** Returns outcomes as paths without steps. */
export function pathsOfEnds(ends: readonly ModeEnd[]): readonly TracePath[] {
  return ends.map(({ outcome, weight, assumptions = [] }) => ({
    ...{ outcome, weight: formatFraction(weight), probability: fractionToNumber(weight) },
    ...{ assumptions, steps: [] },
  }))
}
