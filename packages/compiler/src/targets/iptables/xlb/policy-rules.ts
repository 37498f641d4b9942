import type { Match, Rule } from '../../../dataplane/iptables/ast.js'
import type { ServicePlan } from '../../../plan/plan.js'
import { createCommentMatch } from '../../shared/match.js'
import type { EndpointChain } from '../endpoint-chain.js'
import { formatProbability } from '../format-probability.js'
import type { LoweringContext } from '../lowering-context.js'

/** Returns the rules of KUBE-SVC that balance connections over all endpoints. */
export function createClusterPolicyRules(
  plan: ServicePlan,
  chain: string,
  pool: readonly EndpointChain[],
  lowering: LoweringContext,
): readonly Rule[] {
  const name = createEndpointCommentMatches(plan, lowering)
  return [...affinityRules(plan, chain, pool, name), ...balancingRules(chain, pool, () => name, lowering)]
}

/** Returns the rules of KUBE-XLB that balance connections over the endpoints on this node. */
export function createLocalPolicyRules(
  plan: ServicePlan,
  chain: string,
  pool: readonly EndpointChain[],
  lowering: LoweringContext,
): readonly Rule[] {
  if (!lowering.features.numberedXlbRules) return createClusterPolicyRules(plan, chain, pool, lowering)
  const { text } = plan.id
  return [
    ...affinityRules(plan, chain, pool, [createCommentMatch(text)]),
    ...balancingRules(chain, pool, (index) => [createCommentMatch(`Balancing rule ${index} for ${text}`)], lowering),
  ]
}

/** Returns the comment match of the rules for endpoints; an empty list if these rules have no comment. */
export function createEndpointCommentMatches(
  { id }: ServicePlan,
  { features, largeCluster }: LoweringContext,
): readonly Match[] {
  return features.endpointRulesWithoutComment || largeCluster ? [] : [createCommentMatch(id.text)]
}

function affinityRules(
  { affinitySeconds: seconds }: ServicePlan,
  chain: string,
  pool: readonly EndpointChain[],
  name: readonly Match[],
): readonly Rule[] {
  if (seconds === undefined) return []
  return pool.map(({ chain: list, jump }): Rule => {
    const recent: Match = { kind: 'recent', name: list, action: 'rcheck', seconds, reap: true, negated: false }
    return { chain, matches: [...name, recent], target: jump }
  })
}

function balancingRules(
  chain: string,
  pool: readonly EndpointChain[],
  nameOf: (index: number) => readonly Match[],
  { features }: LoweringContext,
): readonly Rule[] {
  const decimals = features.shortProbabilities ? 5 : 10
  return pool.map(({ jump }, index): Rule => {
    const left = pool.length - index
    const share: Match = { kind: 'statistic', probability: formatProbability(left, decimals), negated: false }
    return { chain, matches: left === 1 ? nameOf(index) : [...nameOf(index), share], target: jump }
  })
}
