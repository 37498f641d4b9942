import type { Match, Rule, StatisticMatch } from '../../dataplane/iptables/ast.js'
import type { Endpoint } from '../../model/model.js'
import type { ServicePlan } from '../../plan/plan.js'
import { comment } from '../shared/match.js'
import type { EndpointChains } from './endpoint-chain.js'
import type { Lowering } from './lowering.js'

/**
 * The rules of KUBE-SVC or KUBE-SVL: first clients that were here before go back to their endpoint, then each
 * endpoint in turn takes an equal share of those that are left.
 */
export function poolRules(
  plan: ServicePlan,
  chain: string,
  endpoints: readonly Endpoint[],
  endpointChains: EndpointChains,
  lowering: Lowering,
): readonly Rule[] {
  const comments = lowering.largeCluster ? undefined : endpoints.map((endpoint) => endpointComment(plan, endpoint))
  return [
    ...affinityRules(plan, chain, endpoints, endpointChains, comments),
    ...balancingRules(chain, endpoints, endpointChains, comments),
  ]
}

function affinityRules(
  plan: ServicePlan,
  chain: string,
  endpoints: readonly Endpoint[],
  endpointChains: EndpointChains,
  comments: readonly Match[] | undefined,
): readonly Rule[] {
  const seconds = plan.affinitySeconds
  if (seconds === undefined) return []
  return endpoints.map((endpoint, index) => {
    const target = endpointChains(endpoint)
    const recent: Match = { kind: 'recent', name: target, action: 'rcheck', seconds, reap: true, negated: false }
    return { chain, matches: withComment(comments?.[index], recent), verdict: { kind: 'jump', chain: target } }
  })
}

function balancingRules(
  chain: string,
  endpoints: readonly Endpoint[],
  endpointChains: EndpointChains,
  comments: readonly Match[] | undefined,
): readonly Rule[] {
  return endpoints.map((endpoint, index) => ({
    chain,
    matches: withComment(comments?.[index], oneIn(endpoints.length - index)),
    verdict: { kind: 'jump', chain: endpointChains(endpoint) },
  }))
}

function endpointComment(plan: ServicePlan, endpoint: Endpoint): Match {
  return comment(`${plan.id.text} -> ${endpoint.text}`)
}

function withComment(text: Match | undefined, match: Match | undefined): readonly Match[] {
  if (text === undefined) return match === undefined ? [] : [match]
  return match === undefined ? [text] : [text, match]
}

const shares: StatisticMatch[] = []

/**
 * Takes one packet in `count`; the last of a chain takes every packet and needs no match. The text is that of
 * `computeProbability` in kube-proxy v1.30: ten decimals.
 */
function oneIn(count: number): StatisticMatch | undefined {
  if (count === 1) return undefined
  shares[count] ??= { kind: 'statistic', probability: (1 / count).toFixed(10), negated: false }
  return shares[count]
}
