import type { Rule, Statement } from '../../dataplane/nftables/ast.js'
import type { Endpoint } from '../../model/endpoints/endpoint.js'
import type { ServicePlan } from '../../plan/plan.js'
import { selectPoolMembers } from '../shared/pool-members.js'
import { hasEndpointChains, type NamedEndpoint } from './endpoint-chain.js'
import type { LoweringContext } from './lowering-context.js'
import {
  createMatch,
  createNumberedElements,
  dnatStatement,
  FAMILY_KEYWORDS,
  l4ProtocolMatch,
  namedSetOperand,
  randomNumberSelector,
  sourceAddressSelector,
} from './statements.js'

/**
 * Returns the rules of the service- and local- chains: clients with an affinity entry return to their endpoint, and
 * each endpoint gets an equal share of the rest. Mirrors `writeServiceToEndpointRules` of the nftables proxier.
 */
export function poolRules(
  plan: ServicePlan,
  pool: readonly Endpoint[],
  reachable: readonly NamedEndpoint[],
  lowering: LoweringContext,
): readonly Rule[] {
  if (!hasEndpointChains(plan, lowering))
    return [{ statements: [l4ProtocolMatch(plan.id.protocol), dnat(pool, lowering)] }]
  const names = selectPoolMembers(pool, reachable)
  const affinity =
    plan.affinitySeconds === undefined
      ? []
      : names.map(
          ({ chain, affinitySet }): Rule => ({
            statements: [
              createMatch([sourceAddressSelector(lowering.family)], namedSetOperand(affinitySet)),
              { kind: 'goto', chain },
            ],
          }),
        )
  const elements = createNumberedElements(names, ({ chain }, key) => ({ key, verdict: { kind: 'goto', chain } }))
  const balancing: Statement = {
    kind: 'vmap',
    key: [randomNumberSelector(pool.length)],
    map: { kind: 'anonymous', elements },
  }
  return [...affinity, { statements: [balancing] }]
}

/** Returns the statement that rewrites the destination to one of the endpoints, in versions without endpoint chains. */
function dnat(pool: readonly Endpoint[], { family, features }: LoweringContext): Statement {
  const [only, another] = pool
  if (features.singleEndpointDnat && only !== undefined && another === undefined) return dnatStatement(only)
  const elements = createNumberedElements(pool, ({ ip, port }, key) => ({ key, data: `${ip} . ${port}` }))
  return {
    kind: 'dnat',
    family: FAMILY_KEYWORDS[family].header,
    to: { kind: 'map', key: [randomNumberSelector(pool.length)], elements },
  }
}
