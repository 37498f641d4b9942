import type { Block } from '../../../dataplane/iptables/ast.js'
import { formatServicePort } from '../../../model/services/format-service-port.js'
import type { ServicePlan } from '../../../plan/plan.js'
import { poolMembers } from '../../shared/pool-members.js'
import { endpointChains, servicePortChains } from '../chain-names.js'
import { reachableChains } from '../endpoint-chain.js'
import type { Lowering } from '../lowering.js'
import type { ServiceBlocks } from '../service-blocks.js'
import { endpointRules } from './endpoint-chain.js'
import { filterRules } from './filter-rules.js'
import { firewallRules } from './firewall-chain.js'
import { frontendRules, hasEndpoints } from './frontend-rules.js'
import { clusterPoolRules } from './pool-rules.js'
import { type XlbChains, xlbRules } from './xlb-chain.js'

/**
 * Returns the blocks of a service port until 1.23. KUBE-SVC balances over all endpoints, KUBE-XLB over those on this
 * node, for policy Local. Mirrors the service loop of `syncProxyRules` of kube-proxy v1.14 to v1.23.
 */
export function blocksWithXlb(plan: ServicePlan, lowering: Lowering): ServiceBlocks {
  const owner = formatServicePort(plan.id)
  const chains = { ...servicePortChains(plan.id), xlb: xlbChain(servicePortChains(plan.id).cluster) }
  const filter = filterRules(plan, lowering)
  return {
    filter: filter.length === 0 ? undefined : { owner, chains: [], rules: filter },
    nat: natBlock(owner, plan, chains, lowering),
  }
}

function xlbChain(cluster: string): string {
  return cluster.replace('SVC', 'XLB')
}

function natBlock(owner: string, plan: ServicePlan, chains: XlbChains, lowering: Lowering): Block | undefined {
  const own = [
    ...(plan.frontends.some(hasEndpoints) ? [chains.cluster] : []),
    ...(plan.localRoute === undefined ? [] : [chains.xlb]),
    ...(plan.frontends.some((frontend) => frontend.kind === 'loadBalancer' && hasEndpoints(frontend))
      ? [chains.firewall]
      : []),
  ]
  if (own.length === 0) return undefined
  const names = endpointChains(plan.id, plan.reachable)
  const reachable = reachableChains(plan, names)
  const rules = [
    ...frontendRules(plan, chains, lowering),
    ...firewallRules(plan, chains, lowering),
    ...clusterPoolRules(plan, chains.cluster, reachable, lowering),
    ...(reachable.length === 0 ? [] : xlbRules(plan, chains, poolMembers(plan.pools.local, reachable), lowering)),
    ...endpointRules(plan, reachable, lowering),
  ]
  return { owner, chains: [...own, ...names], rules }
}
