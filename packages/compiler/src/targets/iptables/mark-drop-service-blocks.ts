import type { Rule, RuleBlock, Target } from '../../dataplane/iptables/ast.js'
import { formatServicePort } from '../../model/services/format-service-port.js'
import { isFirewalled, isServedExternally } from '../../plan/frontend.js'
import { redirectDroppedTrafficToLocalEndpoints } from '../../plan/legacy-service-plans.js'
import type { Frontend, ServicePlan } from '../../plan/plan.js'
import { MARK_DROP_CHAIN } from '../shared/kube-chains.js'
import { createCommentMatch, createSourceAddressMatch } from '../shared/match.js'
import { selectPoolEndpoints } from '../shared/pool-endpoints.js'
import { listEndpointChainNames, type ServicePortChains, servicePortChainsOf } from './chain-names.js'
import { createClusterIPMasqueradeRules } from './cluster-ip-chain.js'
import { createAddressCommentMatch, createFilterTableRules, createNatDispatchRules } from './dispatch.js'
import { createEndpointRules, selectReachableEndpointChains } from './endpoint-chain.js'
import { createExternalChain } from './external-chain.js'
import type { LoweringContext } from './lowering-context.js'
import { createPolicyChainRules } from './policy-chain.js'
import type { ServiceBlocks } from './service-blocks.js'

/**
 * The jump that replaces DROP in the nat table, where DROP is not allowed. The jump marks packets, and the kubelet
 * drops packets with this mark.
 */
export const MARK_DROP_TARGET: Target = { kind: 'jump', chain: MARK_DROP_CHAIN }

/**
 * Returns the chains and rules of a service port in kube-proxy v1.24. Unlike in `createServiceBlocks`, KUBE-MARK-DROP
 * drops packets: at the end of KUBE-FW, and in a KUBE-SVL without endpoints. Mirrors the service loop of
 * `syncProxyRules` of kube-proxy v1.24.
 */
export function createMarkDropServiceBlocks(plan: ServicePlan, lowering: LoweringContext): ServiceBlocks {
  const owner = formatServicePort(plan.id)
  const chains = servicePortChainsOf(plan.id)
  const sent = redirectDroppedTrafficToLocalEndpoints(plan, lowering.clusterIPMasquerade)
  const filter = createFilterTableRules({ ...sent, frontends: sent.frontends.map(withoutSources) }, chains, lowering)
  return {
    key: chains.cluster,
    filter: filter.length === 0 ? undefined : { owner, chains: [], rules: filter },
    nat: natBlock(owner, sent, chains, lowering),
  }
}

function withoutSources(frontend: Frontend): Frontend {
  return { ...frontend, allowedSources: undefined }
}

function natBlock(
  owner: string,
  plan: ServicePlan,
  chains: ServicePortChains,
  lowering: LoweringContext,
): RuleBlock | undefined {
  const isLocal = plan.frontends.some(({ clauses }) =>
    clauses.some(({ action: then }) => then.kind === 'pool' && then.pool === 'local'),
  )
  const own = [
    ...(plan.frontends.some(isServedExternally) ? [chains.external] : []),
    ...(plan.frontends.some(isFirewalled) ? [chains.firewall] : []),
    ...(plan.pools.cluster.length > 0 ? [chains.cluster] : []),
    ...(isLocal ? [chains.local] : []),
  ]
  if (own.length === 0) return undefined
  const names = listEndpointChainNames(plan.id, plan.reachable)
  const reachable = selectReachableEndpointChains(plan, names)
  const rules = [
    ...createNatDispatchRules(plan, chains, lowering),
    ...createClusterIPMasqueradeRules(plan, chains, lowering),
    ...createExternalChain(plan, chains, lowering),
    ...firewallRules(plan, chains),
    ...createPolicyChainRules(plan, chains.cluster, selectPoolEndpoints(plan.pools.cluster, reachable), lowering),
    ...(isLocal && plan.pools.local.length === 0 ? [createNoLocalEndpointsRule(plan, chains.local)] : []),
    ...createPolicyChainRules(plan, chains.local, selectPoolEndpoints(plan.pools.local, reachable), lowering),
    ...createEndpointRules(plan, reachable, lowering),
  ]
  return { owner, chains: [...own, ...names], rules }
}

/**
 * Returns the KUBE-FW rules. The rules are repeated for each load-balancer IP. A packet that the first repetition does
 * not accept is marked for dropping, even if a later repetition accepts it.
 */
function firewallRules(plan: ServicePlan, chains: ServicePortChains): readonly Rule[] {
  const name = createAddressCommentMatch(plan, 'loadBalancer')
  const accept = (address: string): Rule => ({
    chain: chains.firewall,
    matches: [name, createSourceAddressMatch(address)],
    target: { kind: 'jump', chain: chains.external },
  })
  return plan.frontends
    .filter(isFirewalled)
    .flatMap(({ address = '', allowedSources }) => [
      ...(allowedSources?.ranges ?? []).map((range) => accept(range.text)),
      ...(allowedSources?.includesThisNode ? [accept(address)] : []),
      { chain: chains.firewall, matches: [name], target: MARK_DROP_TARGET },
    ])
}

export function createNoLocalEndpointsRule({ id }: ServicePlan, chain: string): Rule {
  return { chain, matches: [createCommentMatch(`${id.text} has no local endpoints`)], target: MARK_DROP_TARGET }
}
