import type { Chain, Rule, Statement } from '../../dataplane/nftables/ast.js'
import type { TableContribution } from '../../dataplane/nftables/state.js'
import type { Endpoint } from '../../model/endpoints/endpoint.js'
import { formatServicePort } from '../../model/services/format-service-port.js'
import { hasAllowedSources, isServedExternally } from '../../plan/frontend.js'
import type { Clause, ClauseReason, EndpointPoolName, Frontend, ServicePlan } from '../../plan/plan.js'
import { selectPoolEndpoints } from '../shared/pool-endpoints.js'
import { createServiceElements } from './elements.js'
import {
  createAffinitySets,
  createEndpointChains,
  hasEndpointChains,
  type NamedEndpoint,
  selectReachableEndpoints,
} from './endpoint-chain.js'
import type { LoweringContext } from './lowering-context.js'
import { policyChainNameOf, type ServicePortChains, servicePortChainsOf } from './names.js'
import {
  createDestinationAddressSelector,
  createDnatStatement,
  createL4ProtocolMatch,
  createMatch,
  createNamedSetOperand,
  createNumberedElements,
  createNumgenSelector,
  createSourceAddressSelector,
  createValueOperand,
  FAMILY_KEYWORDS,
} from './statements.js'

/**
 * Returns the contribution of one service port to the table. Mirrors the body of the service loop of `syncProxyRules`
 * in the nftables proxier.
 */
export function createServiceContribution(plan: ServicePlan, lowering: LoweringContext): TableContribution {
  const chains = servicePortChainsOf(plan.id)
  const reachable = selectReachableEndpoints(plan, lowering)
  return {
    owner: formatServicePort(plan.id),
    table: lowering.table,
    chains: [...createEndpointChains(plan, reachable, lowering), ...ownChains(plan, chains, reachable, lowering)],
    sets: createAffinitySets(plan, reachable, lowering),
    elements: createServiceElements(plan, chains, lowering),
  }
}

function ownChains(
  plan: ServicePlan,
  chains: ServicePortChains,
  reachable: readonly NamedEndpoint[],
  lowering: LoweringContext,
): readonly Chain[] {
  const firewall = createFirewallRules(plan, lowering)
  return [
    ...poolChains(plan, 'cluster', chains, reachable, lowering),
    ...poolChains(plan, 'local', chains, reachable, lowering),
    ...(plan.frontends.some(isServedExternally)
      ? [{ name: chains.external, rules: createExternalRules(plan, chains, lowering) }]
      : []),
    ...(firewall.length > 0 ? [{ name: chains.firewall, rules: firewall }] : []),
  ]
}

function poolChains(
  plan: ServicePlan,
  pool: EndpointPoolName,
  chains: ServicePortChains,
  reachable: readonly NamedEndpoint[],
  lowering: LoweringContext,
): readonly Chain[] {
  const endpoints = plan.pools[pool]
  if (endpoints.length === 0) return []
  const rules = [
    ...clusterIPMasqueradeRules(plan, pool, lowering),
    ...createPoolRules(plan, endpoints, reachable, lowering),
  ]
  return [{ name: policyChainNameOf(chains, pool), rules }]
}

/**
 * Returns the first rule of the chain of `pool`, which masquerades packets to the cluster IP. Newer versions have one
 * rule for all cluster IPs instead.
 */
function clusterIPMasqueradeRules(
  plan: ServicePlan,
  pool: EndpointPoolName,
  lowering: LoweringContext,
): readonly Rule[] {
  if (lowering.features.squashedEndpoints) return []
  return plan.frontends
    .filter(({ kind }) => kind === 'clusterIP')
    .flatMap((frontend) =>
      frontend.clauses.flatMap(({ source, masquerade, action: then }) =>
        masquerade && then.kind === 'pool' && then.pool === pool
          ? [
              {
                statements: [
                  ...toFrontend(plan, frontend, lowering),
                  ...lowering.matchesBySource[source],
                  lowering.mark,
                ],
              },
            ]
          : [],
      ),
    )
}

function toFrontend(
  { id }: ServicePlan,
  { address = '', port }: Frontend,
  { family, features }: LoweringContext,
): readonly Statement[] {
  const toAddress = createMatch([createDestinationAddressSelector(family)], createValueOperand(address))
  if (!features.masqueradeMatchesPort) return [toAddress]
  const protocol = id.protocol.toLowerCase()
  return [toAddress, createMatch([{ kind: 'payload', protocol, field: 'dport' }], createValueOperand(String(port)))]
}

/**
 * Returns the rules of the firewall- chain, which drop packets from sources that are not permitted. Returns no rules if
 * no frontend has source ranges.
 */
function createFirewallRules({ frontends }: ServicePlan, { family, features }: LoweringContext): readonly Rule[] {
  if (features.alphaTable) return []
  const guarded = frontends.filter(hasAllowedSources)
  const allowed = guarded[0]?.allowedSources
  if (allowed === undefined) return []
  const virtualIPs = allowed.includesThisNode ? guarded.flatMap(({ address }) => address ?? []) : []
  const keys = [...allowed.ranges.map(({ text }) => text), ...virtualIPs]
  return [
    {
      statements: [
        createMatch([createSourceAddressSelector(family)], { kind: 'anonymous', keys }, '!='),
        { kind: 'drop' },
      ],
    },
  ]
}

const CLAUSE_COMMENTS: Readonly<Partial<Record<ClauseReason, string>>> = {
  podShortCircuit: 'short-circuit pod traffic',
  nodeShortCircuit: 'short-circuit local traffic',
}

/**
 * Returns the rules of the external- chain: one or two for each clause of the external frontends; none if no external
 * frontend can reach an endpoint.
 */
function createExternalRules(plan: ServicePlan, chains: ServicePortChains, lowering: LoweringContext): readonly Rule[] {
  const clauses = plan.frontends.find(isServedExternally)?.clauses ?? []
  return clauses.flatMap((clause) => clauseRules(clause, chains, lowering))
}

function clauseRules(
  { source, masquerade, action: then, reason }: Clause,
  chains: ServicePortChains,
  lowering: LoweringContext,
): readonly Rule[] {
  if (then.kind !== 'pool') return []
  const condition = lowering.matchesBySource[source]
  const route: Rule = {
    statements: [...condition, { kind: 'goto', chain: policyChainNameOf(chains, then.pool) }],
    comment: CLAUSE_COMMENTS[reason],
  }
  if (!masquerade) return [route]
  return [{ statements: [...condition, lowering.mark], comment: masqueradeComment(reason, lowering) }, route]
}

function masqueradeComment(reason: ClauseReason, { features }: LoweringContext): string | undefined {
  if (reason === 'nodeShortCircuit') return 'masquerade local traffic'
  return features.squashedEndpoints ? 'masquerade' : undefined
}

/**
 * Returns the rules of the service- and local- chains. Clients with an affinity entry return to their endpoint; all
 * other clients are distributed equally over the endpoints. Mirrors `writeServiceToEndpointRules` of the nftables
 * proxier.
 */
function createPoolRules(
  plan: ServicePlan,
  pool: readonly Endpoint[],
  reachable: readonly NamedEndpoint[],
  lowering: LoweringContext,
): readonly Rule[] {
  if (!hasEndpointChains(plan, lowering))
    return [{ statements: [createL4ProtocolMatch(plan.id.protocol), dnat(pool, lowering)] }]
  const names = selectPoolEndpoints(pool, reachable)
  const affinity =
    plan.affinitySeconds === undefined
      ? []
      : names.map(
          ({ chain, affinitySet }): Rule => ({
            statements: [
              createMatch([createSourceAddressSelector(lowering.family)], createNamedSetOperand(affinitySet)),
              { kind: 'goto', chain },
            ],
          }),
        )
  const elements = createNumberedElements(names, ({ chain }, key) => ({ key, verdict: { kind: 'goto', chain } }))
  const balancing: Statement = {
    kind: 'vmap',
    key: [createNumgenSelector(pool.length)],
    map: { kind: 'anonymous', elements },
  }
  return [...affinity, { statements: [balancing] }]
}

/**
 * Returns the statement that rewrites the destination to one of the endpoints. Used in versions without endpoint
 * chains.
 */
function dnat(pool: readonly Endpoint[], { family, features }: LoweringContext): Statement {
  const [only, another] = pool
  if (features.singleEndpointDnat && only !== undefined && another === undefined) return createDnatStatement(only)
  const elements = createNumberedElements(pool, ({ ip, port }, key) => ({ key, data: `${ip} . ${port}` }))
  return {
    kind: 'dnat',
    family: FAMILY_KEYWORDS[family].header,
    to: { kind: 'map', key: [createNumgenSelector(pool.length)], elements },
  }
}
