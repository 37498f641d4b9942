import type { Rule } from '../../dataplane/nftables/ast.js'
import { isServedExternally } from '../../plan/frontend.js'
import type { Clause, ClauseReason, ServicePlan } from '../../plan/plan.js'
import type { LoweringContext } from './lowering-context.js'
import { poolChainName, type ServicePortChains } from './names.js'

const ROUTE_COMMENTS: Readonly<Partial<Record<ClauseReason, string>>> = {
  podShortCircuit: 'short-circuit pod traffic',
  nodeShortCircuit: 'short-circuit local traffic',
}

/**
 * Returns the rules of the external- chain, one or two for each clause of the external route; none if no frontend is
 * served.
 */
export function externalRules(
  plan: ServicePlan,
  chains: ServicePortChains,
  lowering: LoweringContext,
): readonly Rule[] {
  const route = plan.frontends.find(isServedExternally)?.route ?? []
  return route.flatMap((clause) => clauseRules(clause, chains, lowering))
}

function clauseRules(
  { source: when, masquerade, action: then, reason }: Clause,
  chains: ServicePortChains,
  lowering: LoweringContext,
): readonly Rule[] {
  if (then.kind !== 'pool') return []
  const condition = lowering.when[when]
  const route: Rule = {
    statements: [...condition, { kind: 'goto', chain: poolChainName(chains, then.pool) }],
    comment: ROUTE_COMMENTS[reason],
  }
  if (!masquerade) return [route]
  return [{ statements: [...condition, lowering.mark], comment: masqueradeComment(reason, lowering) }, route]
}

function masqueradeComment(reason: ClauseReason, { features }: LoweringContext): string | undefined {
  if (reason === 'nodeShortCircuit') return 'masquerade local traffic'
  return features.squashedEndpoints ? 'masquerade' : undefined
}
