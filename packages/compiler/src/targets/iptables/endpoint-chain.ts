import type { Match, Rule } from '../../dataplane/iptables/ast.js'
import type { Endpoint } from '../../model/model.js'
import type { ServicePlan } from '../../plan/plan.js'
import { JUMP_TO_MARK_MASQ } from '../shared/mark.js'
import { comment, source, TRANSPORT } from '../shared/match.js'
import { endpointChain } from './chain-names.js'
import type { Lowering } from './lowering.js'

/** The KUBE-SEP chain of an endpoint of one service port. */
export type EndpointChains = (endpoint: Endpoint) => string

/** Names each endpoint's chain once, however many rules jump to it. */
export function endpointChains(plan: ServicePlan): EndpointChains {
  const names = new Map(plan.reachable.map((endpoint) => [endpoint.text, endpointChain(plan.id, endpoint.text)]))
  return (endpoint) => names.get(endpoint.text) as string
}

/** The rules of KUBE-SEP: an endpoint that calls itself is masqueraded, and the destination becomes the endpoint. */
export function endpointRules(
  plan: ServicePlan,
  endpoint: Endpoint,
  chain: string,
  lowering: Lowering,
): readonly [Rule, Rule] {
  const name = lowering.largeCluster ? [] : [comment(plan.id.text)]
  const remember: readonly Match[] =
    plan.affinitySeconds === undefined
      ? []
      : [{ kind: 'recent', name: chain, action: 'set', reap: false, negated: false }]
  return [
    { chain, matches: [...name, source(endpoint.ip)], verdict: JUMP_TO_MARK_MASQ },
    {
      chain,
      matches: [...name, ...remember, ...TRANSPORT[plan.id.protocol]],
      verdict: { kind: 'dnat', destination: endpoint.text },
    },
  ]
}
