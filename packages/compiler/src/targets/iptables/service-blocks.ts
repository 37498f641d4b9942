import type { Block, Rule } from '../../dataplane/iptables/ast.js'
import { ruleCounts } from '../../dataplane/iptables/block-rules.js'
import { type KnownRules, lazyBlock } from '../../dataplane/iptables/lazy-block.js'
import { isFirewalled, isServedExternally } from '../../plan/frontend.js'
import type { ServicePlan } from '../../plan/plan.js'
import { servicePortText } from '../../services/service-port-text.js'
import { poolMembers } from '../shared/pool-members.js'
import { endpointChains, type ServicePortChains, servicePortChains } from './chain-names.js'
import { clusterIPMasquerade } from './cluster-ip-chain.js'
import { filterDispatch, natDispatch } from './dispatch.js'
import { endpointRules, RULES_OF_ENDPOINT, reachableChains } from './endpoint-chain.js'
import { externalChain } from './external-chain.js'
import { firewallChain } from './firewall-chain.js'
import type { Lowering } from './lowering.js'
import { poolRuleCount, poolRules } from './pool-chain.js'

/** What one service port contributes to the two tables; absent where that is nothing. */
export interface ServiceBlocks {
  readonly filter?: Block | undefined
  readonly nat?: Block | undefined
}

/** Mirrors the body of the service loop of `syncProxyRules` in the iptables proxier of kube-proxy v1.30. */
export function serviceBlocks(plan: ServicePlan, lowering: Lowering): ServiceBlocks {
  const owner = servicePortText(plan.id)
  const chains = servicePortChains(plan.id)
  return { filter: filterBlock(plan, owner, chains), nat: natBlock(plan, owner, chains, lowering) }
}

function filterBlock(plan: ServicePlan, owner: string, chains: ServicePortChains): Block | undefined {
  const rules = filterDispatch(plan, chains)
  return rules.length === 0 ? undefined : { owner, chains: [], rules }
}

function natBlock(plan: ServicePlan, owner: string, chains: ServicePortChains, lowering: Lowering): Block | undefined {
  const endpoints = endpointChains(plan.id, plan.reachable)
  const own = ownChains(plan, chains)
  // Without a chain of its own a service port has nowhere to send packets to.
  if (own.length === 0) return undefined
  const known = knownRules(plan, chains, lowering)
  return lazyBlock({ owner, chains: [...own, ...endpoints] }, known, () => natRules(plan, chains, endpoints, lowering))
}

/** What can be told of the rules without those for each endpoint. */
function knownRules(plan: ServicePlan, chains: ServicePortChains, lowering: Lowering): KnownRules {
  const dispatch = natDispatch(plan, chains, lowering)
  return {
    ruleCount:
      dispatch.length +
      ownRules(plan, chains, lowering).length +
      poolRuleCount(plan, plan.pools.cluster) +
      poolRuleCount(plan, plan.pools.local) +
      plan.reachable.length * RULES_OF_ENDPOINT,
    sharedCounts: ruleCounts(dispatch),
  }
}

function ownChains({ frontends, pools }: ServicePlan, chains: ServicePortChains): readonly string[] {
  return [
    ...(frontends.some(isServedExternally) ? [chains.external] : []),
    ...(frontends.some(isFirewalled) ? [chains.firewall] : []),
    ...(pools.cluster.length > 0 ? [chains.cluster] : []),
    ...(pools.local.length > 0 ? [chains.local] : []),
  ]
}

function natRules(
  plan: ServicePlan,
  chains: ServicePortChains,
  endpoints: readonly string[],
  lowering: Lowering,
): readonly Rule[] {
  const reachable = reachableChains(plan, endpoints)
  return natDispatch(plan, chains, lowering).concat(
    ownRules(plan, chains, lowering),
    poolRules(plan, chains.cluster, poolMembers(plan.pools.cluster, reachable), lowering),
    poolRules(plan, chains.local, poolMembers(plan.pools.local, reachable), lowering),
    endpointRules(plan, reachable, lowering),
  )
}

/** Those of its own chains, whatever endpoints it has. */
function ownRules(plan: ServicePlan, chains: ServicePortChains, lowering: Lowering): readonly Rule[] {
  return clusterIPMasquerade(plan, chains, lowering).concat(
    externalChain(plan, chains, lowering),
    firewallChain(plan, chains),
  )
}
