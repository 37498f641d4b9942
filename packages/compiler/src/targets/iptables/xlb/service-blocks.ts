import type { Block } from '../../../dataplane/iptables/ast.js'
import { formatServicePort } from '../../../model/services/format-service-port.js'
import type { ServicePlan } from '../../../plan/plan.js'
import { selectPoolMembers } from '../../shared/pool-members.js'
import { endpointChainNames, servicePortChainsOf } from '../chain-names.js'
import { reachableEndpointChains } from '../endpoint-chain.js'
import type { LoweringContext } from '../lowering-context.js'
import type { ServiceBlocks } from '../service-blocks.js'
import { endpointRules } from './endpoint-chain.js'
import { filterTableRules } from './filter-rules.js'
import { firewallRules } from './firewall-chain.js'
import { frontendRules, hasEndpoints } from './frontend-rules.js'
import { clusterPoolRules } from './pool-rules.js'
import { type XlbChains, xlbRules } from './xlb-chain.js'

/**
 * Returns the blocks of a service port until 1.23. KUBE-SVC balances over all endpoints, KUBE-XLB over those on this
 * node, for policy Local. Mirrors the service loop of `syncProxyRules` of kube-proxy v1.14 to v1.23.
 */
export function xlbServiceBlocks(plan: ServicePlan, lowering: LoweringContext): ServiceBlocks {
  const owner = formatServicePort(plan.id)
  const chains = { ...servicePortChainsOf(plan.id), xlb: xlbChain(servicePortChainsOf(plan.id).cluster) }
  const filter = filterTableRules(plan, lowering)
  return {
    filter: filter.length === 0 ? undefined : { owner, chains: [], rules: filter },
    nat: natBlock(owner, plan, chains, lowering),
  }
}

function xlbChain(cluster: string): string {
  return cluster.replace('SVC', 'XLB')
}

function natBlock(owner: string, plan: ServicePlan, chains: XlbChains, lowering: LoweringContext): Block | undefined {
  const own = [
    ...(plan.frontends.some(hasEndpoints) ? [chains.cluster] : []),
    ...(plan.localRoute === undefined ? [] : [chains.xlb]),
    ...(plan.frontends.some((frontend) => frontend.kind === 'loadBalancer' && hasEndpoints(frontend))
      ? [chains.firewall]
      : []),
  ]
  if (own.length === 0) return undefined
  const names = endpointChainNames(plan.id, plan.reachable)
  const reachable = reachableEndpointChains(plan, names)
  const rules = [
    ...frontendRules(plan, chains, lowering),
    ...firewallRules(plan, chains, lowering),
    ...clusterPoolRules(plan, chains.cluster, reachable, lowering),
    ...(reachable.length === 0 ? [] : xlbRules(plan, chains, selectPoolMembers(plan.pools.local, reachable), lowering)),
    ...endpointRules(plan, reachable, lowering),
  ]
  return { owner, chains: [...own, ...names], rules }
}
