import type { Match, Rule } from '../../../dataplane/iptables/ast.js'
import type { ServicePlan } from '../../../plan/plan.js'
import { comment } from '../../shared/match.js'
import type { EndpointChain } from '../endpoint-chain.js'
import type { Lowering } from '../lowering.js'

/** Returns the rules of KUBE-SVC that balance over all endpoints. */
export function clusterPoolRules(
  plan: ServicePlan,
  chain: string,
  pool: readonly EndpointChain[],
  lowering: Lowering,
): readonly Rule[] {
  const name = endpointComment(plan, lowering)
  return [...affinityRules(plan, chain, pool, name), ...balancingRules(chain, pool, () => name, lowering)]
}

/** Returns the rules of KUBE-XLB that balance over the endpoints on this node. */
export function localPoolRules(
  plan: ServicePlan,
  chain: string,
  pool: readonly EndpointChain[],
  lowering: Lowering,
): readonly Rule[] {
  if (!lowering.features.numberedXlbRules) return clusterPoolRules(plan, chain, pool, lowering)
  const { text } = plan.id
  return [
    ...affinityRules(plan, chain, pool, [comment(text)]),
    ...balancingRules(chain, pool, (index) => [comment(`Balancing rule ${index} for ${text}`)], lowering),
  ]
}

/** Returns the comment of the rules of endpoints, if they have one. */
export function endpointComment({ id }: ServicePlan, { features, largeCluster }: Lowering): readonly Match[] {
  return features.endpointRulesWithoutComment || largeCluster ? [] : [comment(id.text)]
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
  { features }: Lowering,
): readonly Rule[] {
  const decimals = features.shortProbabilities ? 5 : 10
  return pool.map(({ jump }, index): Rule => {
    const left = pool.length - index
    const share: Match = { kind: 'statistic', probability: shareText(left, decimals), negated: false }
    return { chain, matches: left === 1 ? nameOf(index) : [...nameOf(index), share], target: jump }
  })
}

/** Formats `1/count` as Go does, which rounds a tie to the even digit: `0.01562` for 64. Only powers of two have ties. */
function shareText(count: number, decimals: number): string {
  const finer = (1 / count).toFixed(decimals + 1)
  const isTie = (count & (count - 1)) === 0 && finer.endsWith('5')
  const isEven = Number(finer.at(-2)) % 2 === 0
  return isTie && isEven ? finer.slice(0, -1) : (1 / count).toFixed(decimals)
}
