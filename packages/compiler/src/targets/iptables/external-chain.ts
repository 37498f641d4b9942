import type { Match, Rule } from '../../dataplane/iptables/ast.js'
import { isServedExternally } from '../../plan/frontend.js'
import type { Clause, ClauseReason, ServicePlan } from '../../plan/plan.js'
import { MARK_MASQ_TARGET } from '../shared/mark.js'
import { createCommentMatch } from '../shared/match.js'
import type { ServicePortChains } from './chain-names.js'
import { policyChainNameOf } from './dispatch.js'
import type { LoweringContext } from './lowering-context.js'

/**
 * The comments of masquerade rules, by the reason for masquerading: the text before `⟨service port⟩ external
 * destinations`. A rule with any other reason has no comment.
 */
const MASQUERADE_COMMENTS: Readonly<Partial<Record<ClauseReason, string>>> = {
  policy: 'masquerade traffic for',
  nodeShortCircuit: 'masquerade LOCAL traffic for',
}
const CLAUSE_COMMENTS: Readonly<Partial<Record<ClauseReason, string>>> = {
  podShortCircuit: 'pod traffic for',
  nodeShortCircuit: 'route LOCAL traffic for',
}

/**
 * Returns the KUBE-EXT rules: one or two for each clause of the external frontends; none if no external frontend can
 * reach an endpoint.
 */
export function createExternalChain(
  plan: ServicePlan,
  chains: ServicePortChains,
  lowering: LoweringContext,
): readonly Rule[] {
  return (
    plan.frontends.find(isServedExternally)?.clauses.flatMap((clause) => clauseRules(plan, clause, chains, lowering)) ??
    []
  )
}

function clauseRules(
  plan: ServicePlan,
  { source: when, masquerade, action: then, reason }: Clause,
  chains: ServicePortChains,
  lowering: LoweringContext,
): readonly Rule[] {
  if (then.kind !== 'pool') return []
  const condition = lowering.when[when]
  const chain = chains.external
  const route: Rule = {
    chain,
    matches: [...commentOf(plan, CLAUSE_COMMENTS[reason]), ...condition],
    target: { kind: 'jump', chain: policyChainNameOf(chains, then.pool) },
  }
  if (!masquerade) return [route]
  const matches = [...commentOf(plan, MASQUERADE_COMMENTS[reason]), ...condition]
  return [{ chain, matches, target: MARK_MASQ_TARGET }, route]
}

function commentOf(plan: ServicePlan, words: string | undefined): readonly Match[] {
  return words === undefined ? [] : [createCommentMatch(`${words} ${plan.id.text} external destinations`)]
}
