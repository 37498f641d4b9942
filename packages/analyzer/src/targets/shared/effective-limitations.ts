import { endsOfDecision, type WeightedOutcome } from '../../plan/ends-of-decision.js'
import { areDistributionsEqual, sumOutcomeWeights } from '../../plan/outcome-distribution.js'
import type { ModeDecision } from '../mode-decision.js'
import type { PacketWalk } from './packet-walk.js'

/**
 * Returns a decision without limitations if its outcomes are the expected ones, because different branches cancelled
 * each other out.
 */
export function withEffectiveLimitations(decision: ModeDecision, { plan, packet, expected }: PacketWalk): ModeDecision {
  const { ends, limitations } = decision
  if (limitations.length === 0 || !haveEqualWeights(ends, endsOfDecision(expected, plan, packet))) return decision
  return { ...decision, limitations: [] }
}

/**
 * Combines the decisions for each number of rules that a packet from a bridge does not match. Usually there is only one,
 * because no such condition is unknown.
 */
export function combineDecisions(decisions: readonly ModeDecision[]): ModeDecision {
  const [first, ...others] = decisions
  if (first !== undefined && others.length === 0) return first
  return {
    ends: decisions.flatMap(({ ends }, index) =>
      ends.map((end) => ({ ...end, assumptions: [{ condition: `${index} ${BRIDGED}`, value: true }] })),
    ),
    limitations: [...new Set(decisions.flatMap(({ limitations }) => limitations))],
    servicePort: decisions.find(({ servicePort }) => servicePort !== undefined)?.servicePort,
  }
}

const BRIDGED = 'rules do not match the packet, because it comes through a bridge'

/** Reports whether outcomes have the same probabilities. A single outcome is certain, whatever its weights with assumptions. */
function haveEqualWeights(some: readonly WeightedOutcome[], others: readonly WeightedOutcome[]): boolean {
  const [a, b] = [sumOutcomeWeights(some), sumOutcomeWeights(others)]
  return areDistributionsEqual(a, b) || (a.size === 1 && b.size === 1 && [...a.keys()].every((text) => b.has(text)))
}
