import type { Block, Rule } from '../../dataplane/iptables/ast.js'
import type { ServicePlan } from '../../plan/plan.js'
import { type ServicePortChains, servicePortChains } from './chain-names.js'
import { clusterIPMasquerade } from './cluster-ip-chain.js'
import { filterDispatch, natDispatch } from './dispatch.js'
import { chainsOfPool, endpointRules, reachableChains } from './endpoint-chain.js'
import { externalChain } from './external-chain.js'
import { firewallChain } from './firewall-chain.js'
import type { Lowering } from './lowering.js'
import { poolRules } from './pool-chain.js'

/** What one service port contributes to the two tables. */
export interface ServiceBlocks {
  readonly filter: Block
  readonly nat: Block
}

/** Mirrors the body of the service loop of `syncProxyRules` in the iptables proxier of kube-proxy v1.30. */
export function serviceBlocks(plan: ServicePlan, lowering: Lowering): ServiceBlocks {
  const owner = `${plan.id.text}/${plan.id.protocol}`
  const chains = servicePortChains(plan.id)
  return {
    filter: { owner, chains: [], rules: filterDispatch(plan, chains) },
    nat: natBlock(plan, owner, chains, lowering),
  }
}

function natBlock(plan: ServicePlan, owner: string, chains: ServicePortChains, lowering: Lowering): Block {
  const reachable = reachableChains(plan)
  const external = externalChain(plan, chains, lowering)
  const firewall = firewallChain(plan, chains)
  const cluster = poolRules(plan, chains.cluster, chainsOfPool(plan.pools.cluster, reachable), lowering)
  const local = poolRules(plan, chains.local, chainsOfPool(plan.pools.local, reachable), lowering)
  return {
    owner,
    chains: [
      ...nameIfAny(chains.external, external),
      ...nameIfAny(chains.firewall, firewall),
      ...nameIfAny(chains.cluster, cluster),
      ...nameIfAny(chains.local, local),
      ...reachable.map(({ chain }) => chain),
    ],
    rules: [
      ...natDispatch(plan, chains, lowering),
      ...clusterIPMasquerade(plan, chains, lowering),
      ...external,
      ...firewall,
      ...cluster,
      ...local,
      ...endpointRules(plan, reachable, lowering),
    ],
  }
}

function nameIfAny(chain: string, rules: readonly Rule[]): readonly string[] {
  return rules.length === 0 ? [] : [chain]
}
