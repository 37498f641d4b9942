import { type Decision, decide } from '@kube-rules/compiler/internal/plan/decide'
import type { Plan } from '@kube-rules/compiler/internal/plan/plan'
import type { Packet } from '@kube-rules/types'
import { endsOfDecision } from '../plan/ends-of-decision.js'
import type { ModePlan } from '../plan/mode-plan.js'
import { areDistributionsEqual, type OutcomeDistribution, sumOutcomeWeights } from '../plan/outcome-distribution.js'
import { MODE_DECISIONS } from '../targets/mode-decisions.js'
import type { TracePath } from '../trace/trace-paths.js'
import { haveEqualEnds, pathsOfEnds } from './equal-ends.js'

/**
 * Returns the codes of the limitations that explain the deviation of traced paths from `expected`, the decision of the
 * plan by default. Empty if there is no deviation. Undefined if kube-proxy does not handle the packet like this in this
 * mode, or if no limitation explains the deviation.
 */
export function findExplainingLimitations(
  { mode, plan }: ModePlan,
  packet: Packet,
  paths: readonly TracePath[],
  expected: Decision = decide(plan, packet),
): readonly string[] | undefined {
  const { ends, limitations } = MODE_DECISIONS[mode](plan, packet, expected)
  if (!haveEqualEnds(paths, { ends })) return undefined
  if (limitations.length > 0) return limitations
  const isExpected = haveEqualEnds(pathsOfEnds(endsOfDecision(expected, plan, packet)), { ends })
  return isExpected ? [] : undefined
}

/** Reports whether two decisions about a packet are equivalent, regardless of their reasons. */
export function areDecisionsEqual(a: Decision, b: Decision, plan: Plan, packet: Packet): boolean {
  const isProxy = a.kind === 'proxy'
  if (isProxy !== (b.kind === 'proxy')) return false
  return areDistributionsEqual(
    distributionOf(withEndpoints(a), plan, packet),
    distributionOf(withEndpoints(b), plan, packet),
  )
}

/** Returns a decision of the userspace proxy with the endpoints that it connects to as outcomes. */
function withEndpoints(decision: Decision): Decision {
  return decision.kind === 'proxy' ? { ...decision, kind: 'endpoints' } : decision
}

function distributionOf(decision: Decision, plan: Plan, packet: Packet): OutcomeDistribution {
  return sumOutcomeWeights(endsOfDecision(decision, plan, packet))
}
