import type { Frontend, ServicePlan } from '../../plan/plan.js'
import type { LoweringContext } from './lowering-context.js'

/**
 * Returns the frontends of a service port that have rules. From 1.19 to 1.26, a node port that no address of the node
 * serves has no rules.
 */
export function selectFrontendsWithRules(
  { frontends }: ServicePlan,
  { features, hasNodePortAddress }: LoweringContext,
): readonly Frontend[] {
  if (features.nodePortRulesWithoutAddress || hasNodePortAddress) return frontends
  return frontends.filter(({ kind }) => kind !== 'nodePort')
}
