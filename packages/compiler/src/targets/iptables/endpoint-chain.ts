import type { CommentMatch, Match, Rule, Target } from '../../dataplane/iptables/ast.js'
import { elementAt } from '../../internal/known-items.js'
import { mapList } from '../../internal/map-list.js'
import type { Endpoint } from '../../model/endpoints/endpoint.js'
import type { ServicePlan } from '../../plan/plan.js'
import { MARK_MASQ_TARGET } from '../shared/mark.js'
import { createCommentMatch, createSourceAddressMatch, TRANSPORT_MATCHES } from '../shared/match.js'
import type { LoweringContext } from './lowering-context.js'

/** An endpoint with the name of its KUBE-SEP chain and the jump to this chain. */
export interface EndpointChain {
  readonly endpoint: Endpoint
  readonly chain: string
  readonly jump: Target
}

/**
 * Returns all reachable endpoints with their KUBE-SEP chains. `names` ends with the chain names of the reachable
 * endpoints, in their order.
 */
export function selectReachableEndpointChains(plan: ServicePlan, names: readonly string[]): readonly EndpointChain[] {
  const first = names.length - plan.reachable.length
  return mapList(plan.reachable, (endpoint, index) => {
    const chain = elementAt(names, first + index)
    return { endpoint, chain, jump: { kind: 'jump', chain } }
  })
}

/** The number of rules that `createEndpointRules` returns per endpoint. */
export const RULES_PER_ENDPOINT = 2

/**
 * Returns the KUBE-SEP rules. The first rule marks packets from the endpoint itself for masquerading; the second
 * rewrites the destination to the endpoint.
 */
export function createEndpointRules(
  plan: ServicePlan,
  reachable: readonly EndpointChain[],
  lowering: LoweringContext,
): readonly Rule[] {
  const name = lowering.largeCluster ? undefined : createCommentMatch(plan.id.text)
  const transport = TRANSPORT_MATCHES[plan.id.protocol]
  const anyClient: readonly Match[] = name === undefined ? transport : [name, ...transport]
  const hasAffinity = plan.affinitySeconds !== undefined
  const rules: Rule[] = []
  for (const { endpoint, chain } of reachable) {
    const matches = hasAffinity ? [...optional(name), recentSetRule(chain), ...transport] : anyClient
    rules.push(
      { chain, matches: hairpinMatches(name, endpoint), target: MARK_MASQ_TARGET },
      { chain, matches, target: { kind: 'dnat', destination: endpoint.text } },
    )
  }
  return rules
}

function hairpinMatches(name: CommentMatch | undefined, endpoint: Endpoint): readonly Match[] {
  return name === undefined ? [createSourceAddressMatch(endpoint.ip)] : [name, createSourceAddressMatch(endpoint.ip)]
}

function recentSetRule(chain: string): Match {
  return { kind: 'recent', name: chain, action: 'set', reap: false, negated: false }
}

function optional(match: Match | undefined): readonly Match[] {
  return match === undefined ? [] : [match]
}
