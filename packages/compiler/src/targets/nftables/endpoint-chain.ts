import type { Chain, NamedSet, Rule, Selector, Statement } from '../../dataplane/nftables/ast.js'
import { mapList } from '../../internal/map-list.js'
import type { Endpoint } from '../../model/endpoints/endpoint.js'
import type { ServicePlan } from '../../plan/plan.js'
import type { LoweringContext } from './lowering-context.js'
import { type EndpointNames, endpointNamesOf } from './names.js'
import {
  createDnatStatement,
  createL4ProtocolMatch,
  createMatch,
  createSourceAddressSelector,
  createValueOperand,
  FAMILY_KEYWORDS,
} from './statements.js'

/**
 * Reports whether each endpoint of a service port has its own chain. In some versions, endpoints always have a chain;
 * in others, only with session affinity.
 */
export function hasEndpointChains({ affinitySeconds }: ServicePlan, { features }: LoweringContext): boolean {
  return affinitySeconds !== undefined || !features.squashedEndpoints
}

/** An endpoint with the names of its chain and set. */
export interface NamedEndpoint extends EndpointNames {
  readonly endpoint: Endpoint
}

/**
 * Returns the reachable endpoints of a service port with their names. If endpoints have no chains, returns an empty
 * list, because each name costs a hash.
 */
export function selectReachableEndpoints(plan: ServicePlan, lowering: LoweringContext): readonly NamedEndpoint[] {
  if (!hasEndpointChains(plan, lowering)) return []
  return mapList(plan.reachable, (endpoint) => ({ endpoint, ...endpointNamesOf(plan.id, endpoint) }))
}

/**
 * Returns the chains of the reachable endpoints of a service port. The rules of a chain mark packets from the endpoint
 * itself for masquerading, store an affinity entry for the client, and rewrite the destination to the endpoint. Mirrors
 * the loop over `allLocallyReachableEndpoints` in the nftables proxier.
 */
export function createEndpointChains(
  plan: ServicePlan,
  reachable: readonly NamedEndpoint[],
  lowering: LoweringContext,
): readonly Chain[] {
  // All chains share these parts, because a large cluster has tens of thousands of chains.
  const source = [createSourceAddressSelector(lowering.family)]
  const protocol = createL4ProtocolMatch(plan.id.protocol)
  return mapList(reachable, ({ endpoint, chain: name, affinitySet }) => {
    const remember: Statement = { kind: 'setUpdate', operation: 'update', set: affinitySet, key: source }
    const served: Rule = { statements: [protocol, createDnatStatement(endpoint)] }
    return {
      name,
      rules: [
        ...hairpinRules(endpoint, source, lowering),
        ...(plan.affinitySeconds === undefined ? [] : [{ statements: [remember] }]),
        served,
      ],
    }
  })
}

/**
 * Returns the rule that marks hairpin traffic, from an endpoint to itself, for masquerading. Newer versions have a set
 * for hairpin traffic instead.
 */
function hairpinRules(
  { ip }: Endpoint,
  source: readonly Selector[],
  { features, mark }: LoweringContext,
): readonly Rule[] {
  if (features.squashedEndpoints) return []
  return [{ statements: [createMatch(source, createValueOperand(ip)), mark] }]
}

/** Returns the session-affinity sets, one per endpoint. Returns an empty list if the service port has no affinity. */
export function createAffinitySets(
  { affinitySeconds }: ServicePlan,
  reachable: readonly NamedEndpoint[],
  { family }: LoweringContext,
): readonly NamedSet[] {
  if (affinitySeconds === undefined) return []
  return mapList(reachable, ({ affinitySet }) => ({
    kind: 'set',
    name: affinitySet,
    key: { kind: 'type', types: [FAMILY_KEYWORDS[family].addressType] },
    flags: ['dynamic', 'timeout'],
    timeout: affinitySeconds * 1000,
    elements: [],
  }))
}
