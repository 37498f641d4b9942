import type { Rule, Statement } from '../../dataplane/nftables/ast.js'
import type { Endpoint } from '../../model/endpoints/endpoint.js'
import type { ServicePlan } from '../../plan/plan.js'
import { poolMembers } from '../shared/pool-members.js'
import { hasEndpointChains, type NamedEndpoint } from './endpoint-chain.js'
import type { Lowering } from './lowering.js'
import {
  dnatTo,
  FAMILY_NAMES,
  l4ProtocolMatch,
  match,
  named,
  numbered,
  randomBelow,
  sourceAddress,
} from './statements.js'

/**
 * Returns the rules of the service- and local- chains: clients with an affinity entry return to their endpoint, and
 * each endpoint gets an equal share of the rest. Mirrors `writeServiceToEndpointRules` of the nftables proxier.
 */
export function poolRules(
  plan: ServicePlan,
  pool: readonly Endpoint[],
  reachable: readonly NamedEndpoint[],
  lowering: Lowering,
): readonly Rule[] {
  if (!hasEndpointChains(plan, lowering))
    return [{ statements: [l4ProtocolMatch(plan.id.protocol), dnat(pool, lowering)] }]
  const names = poolMembers(pool, reachable)
  const affinity =
    plan.affinitySeconds === undefined
      ? []
      : names.map(
          ({ chain, affinitySet }): Rule => ({
            statements: [match([sourceAddress(lowering.family)], named(affinitySet)), { kind: 'goto', chain }],
          }),
        )
  const elements = numbered(names, ({ chain }, key) => ({ key, verdict: { kind: 'goto', chain } }))
  const balancing: Statement = { kind: 'vmap', key: [randomBelow(pool.length)], map: { kind: 'anonymous', elements } }
  return [...affinity, { statements: [balancing] }]
}

/** Rewrites the destination to one of the endpoints, without a chain for each of them. */
function dnat(pool: readonly Endpoint[], { family, features }: Lowering): Statement {
  const [only, another] = pool
  if (features.singleEndpointDnat && only !== undefined && another === undefined) return dnatTo(only)
  const elements = numbered(pool, ({ ip, port }, key) => ({ key, data: `${ip} . ${port}` }))
  return {
    kind: 'dnat',
    family: FAMILY_NAMES[family].header,
    to: { kind: 'map', key: [randomBelow(pool.length)], elements },
  }
}
