import type { CommentMatch, Match, Rule, StatisticMatch } from '../../dataplane/iptables/ast.js'
import { mapList } from '../../internal/map-list.js'
import type { ServicePlan } from '../../plan/plan.js'
import { createCommentMatch } from '../shared/match.js'
import type { EndpointChain } from './endpoint-chain.js'
import { formatProbability } from './format-probability.js'
import type { LoweringContext } from './lowering-context.js'

/**
 * Returns the rules of KUBE-SVC or KUBE-SVL: clients with an affinity entry return to their endpoint; all other clients
 * are distributed equally over the endpoints.
 */
export function createPolicyChainRules(
  plan: ServicePlan,
  chain: string,
  pool: readonly EndpointChain[],
  lowering: LoweringContext,
): readonly Rule[] {
  const comments = lowering.largeCluster
    ? []
    : mapList(pool, ({ endpoint }) => createCommentMatch(`${plan.id.text} -> ${endpoint.text}`))
  const balancing = mapList(
    pool,
    ({ jump }, index): Rule => ({
      chain,
      matches: matchesOf(comments[index], oneIn(pool.length - index)),
      target: jump,
    }),
  )
  const seconds = plan.affinitySeconds
  if (seconds === undefined) return balancing
  const affinity = mapList(
    pool,
    ({ chain: name, jump }, index): Rule => ({
      chain,
      matches: matchesOf(comments[index], {
        kind: 'recent',
        name,
        action: 'rcheck',
        seconds,
        reap: true,
        negated: false,
      }),
      target: jump,
    }),
  )
  return [...affinity, ...balancing]
}

/** Returns the number of rules that `poolRules` returns. */
export function countPolicyChainRules({ affinitySeconds }: ServicePlan, pool: readonly unknown[]): number {
  return affinitySeconds === undefined ? pool.length : 2 * pool.length
}

function matchesOf(text: CommentMatch | undefined, match: Match | undefined): readonly Match[] {
  if (text === undefined) return match === undefined ? [] : [match]
  return match === undefined ? [text] : [text, match]
}

const shares = new Map<number, StatisticMatch>()

/**
 * Returns a `statistic` match with the probability 1/`count`. Returns undefined if `count` is 1, because the last rule
 * of a chain matches every packet. The probability has ten decimals, like in `computeProbability` of kube-proxy v1.30.
 * Rules share the match objects, because there are few different matches.
 */
function oneIn(count: number): StatisticMatch | undefined {
  if (count === 1) return undefined
  const existing = shares.get(count)
  if (existing !== undefined) return existing
  const share: StatisticMatch = { kind: 'statistic', probability: formatProbability(count, 10), negated: false }
  shares.set(count, share)
  return share
}
