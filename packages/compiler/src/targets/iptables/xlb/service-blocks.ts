import type { Match, Rule, RuleBlock, Target } from '../../../dataplane/iptables/ast.js'
import { formatServicePort } from '../../../model/services/format-service-port.js'
import type { Frontend, ServicePlan } from '../../../plan/plan.js'
import { MARK_MASQ_TARGET } from '../../shared/mark.js'
import { createCommentMatch, createSourceAddressMatch, TO_LOCAL_MATCH, TRANSPORT_MATCHES } from '../../shared/match.js'
import { selectPoolEndpoints } from '../../shared/pool-endpoints.js'
import { EXTERNAL_SERVICES_CHAIN, listEndpointChainNames, SERVICES_CHAIN, servicePortChainsOf } from '../chain-names.js'
import { createAddressCommentMatch, createHealthCheckRules } from '../dispatch.js'
import { type EndpointChain, selectReachableEndpointChains } from '../endpoint-chain.js'
import { selectFrontendsWithRules } from '../legacy-frontends.js'
import type { LoweringContext } from '../lowering-context.js'
import { MARK_DROP_TARGET } from '../mark-drop-service-blocks.js'
import type { ServiceBlocks } from '../service-blocks.js'
import {
  createFrontendMatches,
  createFrontendRules,
  formatAddressForKubeProxyVersion,
  formatBalancingChainName,
  hasEndpoints,
} from './frontend-rules.js'
import { createClusterPolicyRules, createEndpointCommentMatches } from './policy-rules.js'
import { createXlbRules, type XlbChains } from './xlb-chain.js'

/**
 * Returns the chains and rules of a service port up to 1.23. KUBE-SVC balances connections over all endpoints. For the
 * policy Local, KUBE-XLB balances connections over the endpoints on this node. Mirrors the service loop of
 * `syncProxyRules` of kube-proxy v1.14 to v1.23.
 */
export function createXlbServiceBlocks(plan: ServicePlan, lowering: LoweringContext): ServiceBlocks {
  const owner = formatServicePort(plan.id)
  const chains = { ...servicePortChainsOf(plan.id), xlb: xlbChain(servicePortChainsOf(plan.id).cluster) }
  const filter = filterTableRules(plan, lowering)
  return {
    key: chains.cluster,
    filter: filter.length === 0 ? undefined : { owner, chains: [], rules: filter },
    nat: natBlock(owner, plan, chains, lowering),
  }
}

function xlbChain(cluster: string): string {
  return cluster.replace('SVC', 'XLB')
}

function natBlock(
  owner: string,
  plan: ServicePlan,
  chains: XlbChains,
  lowering: LoweringContext,
): RuleBlock | undefined {
  const own = [
    ...(plan.frontends.some(hasEndpoints) ? [chains.cluster] : []),
    ...(plan.localClauses === undefined ? [] : [chains.xlb]),
    ...(plan.frontends.some((frontend) => frontend.kind === 'loadBalancer' && hasEndpoints(frontend))
      ? [chains.firewall]
      : []),
  ]
  if (own.length === 0) return undefined
  const names = listEndpointChainNames(plan.id, plan.reachable)
  const reachable = selectReachableEndpointChains(plan, names)
  const rules = [
    ...createFrontendRules(plan, chains, lowering),
    ...createFirewallRules(plan, chains, lowering),
    ...createClusterPolicyRules(plan, chains.cluster, selectPoolEndpoints(plan.pools.cluster, reachable), lowering),
    ...(plan.unservedNodePort !== undefined
      ? []
      : createXlbRules(plan, chains, selectPoolEndpoints(plan.pools.local, reachable), lowering)),
    ...createEndpointRules(plan, reachable, lowering),
  ]
  // Up to 1.18, an address that Endpoints list twice has its rules twice, in one chain.
  return { owner, chains: [...own, ...new Set(names)], rules }
}

/**
 * Returns the rules of the filter table: the rules that reject packets to frontends without endpoints, and the rule for
 * the health-check port.
 */
function filterTableRules(plan: ServicePlan, lowering: LoweringContext): readonly Rule[] {
  const rejecting = selectFrontendsWithRules(plan, lowering).filter((frontend) => !hasEndpoints(frontend))
  const rejects = rejecting.map((frontend): Rule => {
    const toThisNode = frontend.kind === 'nodePort' ? [TO_LOCAL_MATCH] : []
    const name = createCommentMatch(`${plan.id.text} has no endpoints`)
    const matches = [name, ...toThisNode, ...createFrontendMatches(plan, frontend, lowering)]
    return { chain: chainOf(frontend, lowering), matches, target: { kind: 'reject' } }
  })
  return lowering.features.healthChecksAccepted ? [...rejects, ...createHealthCheckRules(plan)] : rejects
}

function chainOf({ kind }: Frontend, { features }: LoweringContext): string {
  const isInServices = kind === 'clusterIP' || (kind === 'loadBalancer' && features.loadBalancersRejectedInServices)
  return isInServices ? SERVICES_CHAIN : EXTERNAL_SERVICES_CHAIN
}

/** Returns the KUBE-SEP rules. Unlike in newer versions, kube-proxy writes addresses and comments in an older notation. */
function createEndpointRules(
  plan: ServicePlan,
  reachable: readonly EndpointChain[],
  lowering: LoweringContext,
): readonly Rule[] {
  const name = createEndpointCommentMatches(plan, lowering)
  const transport = TRANSPORT_MATCHES[plan.id.protocol]
  return reachable.flatMap(({ endpoint, chain }): readonly Rule[] => {
    const remember: Match = { kind: 'recent', name: chain, action: 'set', reap: false, negated: false }
    const affinity = plan.affinitySeconds === undefined ? [] : [remember]
    return [
      {
        chain,
        matches: [...name, createSourceAddressMatch(formatAddressForKubeProxyVersion(endpoint.ip, lowering))],
        target: MARK_MASQ_TARGET,
      },
      { chain, matches: [...name, ...affinity, ...transport], target: { kind: 'dnat', destination: endpoint.text } },
    ]
  })
}

/**
 * Returns the KUBE-FW rules. They are repeated for each load-balancer IP: with the policy Cluster, packets are
 * masqueraded; packets from accepted sources continue to the balancing chain; packets that return from there are marked
 * for dropping.
 */
function createFirewallRules(plan: ServicePlan, chains: XlbChains, lowering: LoweringContext): readonly Rule[] {
  return plan.frontends
    .filter((frontend) => frontend.kind === 'loadBalancer' && hasEndpoints(frontend))
    .flatMap((frontend) => rulesOf(plan, frontend, chains, lowering))
}

function rulesOf(plan: ServicePlan, frontend: Frontend, chains: XlbChains, lowering: LoweringContext): readonly Rule[] {
  const { address = '', allowedSources, preservesClientIP } = frontend
  const name = createAddressCommentMatch(plan, 'loadBalancer')
  const go: Target = { kind: 'jump', chain: formatBalancingChainName(frontend, chains) }
  const rule = (target: Target, ...from: readonly string[]): Rule => ({
    chain: chains.firewall,
    matches: [name, ...from.map((network) => createSourceAddressMatch(network))],
    target,
  })
  const accepting =
    allowedSources === undefined
      ? [rule(go)]
      : [
          ...allowedSources.ranges.map(({ text }) => rule(go, text)),
          ...(allowedSources.includesThisNode ? [rule(go, formatAddressForKubeProxyVersion(address, lowering))] : []),
        ]
  return [...(preservesClientIP ? [] : [rule(MARK_MASQ_TARGET)]), ...accepting, rule(MARK_DROP_TARGET)]
}
