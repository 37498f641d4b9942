import type { Chain, NamedSet, Rule, Statement } from '../../dataplane/nftables/ast.js'
import { mapList } from '../../internal/map-list.js'
import type { Endpoint } from '../../model/endpoints/endpoint.js'
import type { ServicePlan } from '../../plan/plan.js'
import type { Lowering } from './lowering.js'
import { type EndpointNames, endpointNames } from './names.js'
import { dnatTo, FAMILY_WORDS, hasProtocol, match, sourceAddress, value } from './statements.js'

/** Whether each endpoint has a chain: always, or only to remember its clients. */
export function hasEndpointChains({ affinitySeconds }: ServicePlan, { features }: Lowering): boolean {
  return affinitySeconds !== undefined || !features.squashedEndpoints
}

/** An endpoint and what it is called in the table. */
export interface NamedEndpoint extends EndpointNames {
  readonly endpoint: Endpoint
}

/** Those that a service port reaches; none where endpoints have no chains, because names cost a hash each. */
export function reachableEndpoints(plan: ServicePlan, lowering: Lowering): readonly NamedEndpoint[] {
  if (!hasEndpointChains(plan, lowering)) return []
  return mapList(plan.reachable, (endpoint) => ({ endpoint, ...endpointNames(plan.id, endpoint) }))
}

/**
 * The chains of the endpoints that a service port reaches: one that calls itself is masqueraded, clients are remembered, and the
 * destination becomes the endpoint. Mirrors the loop over `allLocallyReachableEndpoints` in the nftables proxier.
 */
export function endpointChains(
  plan: ServicePlan,
  reachable: readonly NamedEndpoint[],
  lowering: Lowering,
): readonly Chain[] {
  return mapList(reachable, ({ endpoint, chain: name, affinitySet }) => {
    const remember: Statement = {
      kind: 'setUpdate',
      operation: 'update',
      set: affinitySet,
      key: [sourceAddress(lowering.family)],
    }
    const served: Rule = {
      statements: [hasProtocol(plan.id.protocol), dnatTo(endpoint)],
    }
    return {
      name,
      rules: [
        ...hairpinRules(endpoint, lowering),
        ...(plan.affinitySeconds === undefined ? [] : [{ statements: [remember] }]),
        served,
      ],
    }
  })
}

/** Connections of an endpoint to itself; later generations have a set of them. */
function hairpinRules({ ip }: Endpoint, { family, features, mark }: Lowering): readonly Rule[] {
  if (features.squashedEndpoints) return []
  return [{ statements: [match([sourceAddress(family)], value(ip)), mark] }]
}

/** The sets of clients, one for each endpoint; without affinity none. */
export function affinitySets(
  { affinitySeconds }: ServicePlan,
  reachable: readonly NamedEndpoint[],
  { family }: Lowering,
): readonly NamedSet[] {
  if (affinitySeconds === undefined) return []
  return mapList(reachable, ({ affinitySet }) => ({
    kind: 'set',
    name: affinitySet,
    key: { kind: 'type', types: [FAMILY_WORDS[family].addressType] },
    flags: ['dynamic', 'timeout'],
    timeout: affinitySeconds * 1000,
    elements: [],
  }))
}
