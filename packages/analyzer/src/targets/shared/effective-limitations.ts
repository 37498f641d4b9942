import { addFractions, type Fraction, formatFraction } from '@kube-rules/compiler/internal/internal/fraction'
import { endsOfDecision, type WeightedOutcome } from '../../plan/ends-of-decision.js'
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

function haveEqualWeights(some: readonly WeightedOutcome[], others: readonly WeightedOutcome[]): boolean {
  const [ofSome, ofOthers] = [sumWeights(some), sumWeights(others)]
  return ofSome.size === ofOthers.size && [...ofSome].every(([outcome, weight]) => ofOthers.get(outcome) === weight)
}

function sumWeights(ends: readonly WeightedOutcome[]): ReadonlyMap<string, string> {
  const sums = new Map<string, Fraction>()
  for (const { outcome, weight } of ends) {
    const key = JSON.stringify(outcome)
    const sum = sums.get(key)
    sums.set(key, sum === undefined ? weight : addFractions(sum, weight))
  }
  // A single outcome is certain. With assumptions, the sum of its weights may differ from 1.
  return new Map(Array.from(sums, ([key, sum]) => [key, sums.size === 1 ? '1' : formatFraction(sum)]))
}
