import type { Rule, RuleBlock } from '../../dataplane/iptables/ast.js'
import { countRulesByChain } from '../../dataplane/iptables/block-rules.js'
import { createLazyBlock, type PrecomputedCounts, type RuleCountsByChain } from '../../dataplane/iptables/lazy-block.js'
import { elementAt } from '../../internal/known-items.js'
import { formatServicePort } from '../../model/services/format-service-port.js'
import { isFirewalled, isServed, isServedExternally } from '../../plan/frontend.js'
import type { ServicePlan } from '../../plan/plan.js'
import { createCommentMatch, createSourceAddressMatch } from '../shared/match.js'
import { selectPoolEndpoints } from '../shared/pool-endpoints.js'
import {
  listEndpointChainNames,
  SERVICES_CHAIN,
  type ServicePortChains,
  servicePortChainsOf,
  siblingChainsOf,
} from './chain-names.js'
import { countMasqueradeRules, createClusterIPMasqueradeRules } from './cluster-ip-chain.js'
import { createAddressCommentMatch, createFilterTableRules, createNatDispatchRules } from './dispatch.js'
import { createEndpointRules, RULES_PER_ENDPOINT, selectReachableEndpointChains } from './endpoint-chain.js'
import { createExternalChain } from './external-chain.js'
import type { LoweringContext } from './lowering-context.js'
import { countPolicyChainRules, createPolicyChainRules } from './policy-chain.js'

/**
 * The chains and rules of one service port: a block for the nat table and a block for the filter table. An empty block
 * is absent.
 */
export interface ServiceBlocks {
  /** The hash in the names of the chains, as the name of the chain KUBE-SVC. */
  readonly key: string
  readonly filter?: RuleBlock | undefined
  readonly nat?: RuleBlock | undefined
}

/**
 * Returns the chains and rules of a service port, as one block per table. Mirrors the body of the service loop of
 * `syncProxyRules` in the iptables proxier of kube-proxy v1.30.
 */
export function createServiceBlocks(plan: ServicePlan, lowering: LoweringContext): ServiceBlocks {
  const owner = formatServicePort(plan.id)
  const chains = servicePortChainsOf(plan.id)
  return {
    key: chains.cluster,
    filter: filterBlock(plan, owner, chains, lowering),
    nat: natBlock({ plan, lowering }, owner, chains),
  }
}

function filterBlock(
  plan: ServicePlan,
  owner: string,
  chains: ServicePortChains,
  lowering: LoweringContext,
): RuleBlock | undefined {
  const rules = createFilterTableRules(plan, chains, lowering)
  return rules.length === 0 ? undefined : { owner, chains: [], rules }
}

/**
 * The inputs for creating the nat rules of a service port on demand. The object is small, because there is one per
 * service port.
 */
interface NatSource {
  readonly plan: ServicePlan
  readonly lowering: LoweringContext
}

function natBlock(source: NatSource, owner: string, chains: ServicePortChains): RuleBlock | undefined {
  const { plan, lowering } = source
  const own = ownChains(plan, chains)
  // A service port without chains of its own has no nat rules.
  if (own.length === 0) return undefined
  const all = own.concat(listEndpointChainNames(plan.id, plan.reachable))
  return createLazyBlock({ owner, chains: all }, knownRules(plan, chains, lowering), source, natRules)
}

/**
 * Counts the nat rules without creating the rules of endpoints. For a service port with only a cluster IP, no rules are
 * created at all.
 */
function knownRules(plan: ServicePlan, chains: ServicePortChains, lowering: LoweringContext): PrecomputedCounts {
  const ofEndpoints =
    countPolicyChainRules(plan, plan.pools.cluster) +
    countPolicyChainRules(plan, plan.pools.local) +
    plan.reachable.length * RULES_PER_ENDPOINT
  const [first] = plan.frontends
  if (plan.frontends.length === 1 && first?.kind === 'clusterIP' && isServed(first)) {
    return { ruleCount: 1 + countMasqueradeRules(first) + ofEndpoints, sharedCounts: CLUSTER_IP_ALONE }
  }
  const dispatch = createNatDispatchRules(plan, chains, lowering)
  const ruleCount = dispatch.length + ownRules(plan, chains, lowering).length + ofEndpoints
  return { ruleCount, sharedCounts: countRulesByChain(dispatch) }
}

/**
 * The rule counts in shared chains (KUBE-SERVICES, KUBE-NODEPORTS) for a service port that has only a cluster IP: one
 * jump to its own chain. All such service ports share this object.
 */
const CLUSTER_IP_ALONE: RuleCountsByChain = [{ chain: SERVICES_CHAIN, count: 1 }]

function ownChains({ frontends, pools }: ServicePlan, chains: ServicePortChains): readonly string[] {
  const own: string[] = []
  if (frontends.some(isServedExternally)) own.push(chains.external)
  if (frontends.some(isFirewalled)) own.push(chains.firewall)
  if (pools.cluster.length > 0) own.push(chains.cluster)
  if (pools.local.length > 0) own.push(chains.local)
  return own
}

/** Creates the nat rules. The rules in chains of the service port come first, the rules in chains of endpoints last. */
function natRules({ plan, lowering }: NatSource, names: readonly string[]): readonly Rule[] {
  const chains = siblingChainsOf(elementAt(names, 0))
  const reachable = selectReachableEndpointChains(plan, names)
  return createNatDispatchRules(plan, chains, lowering).concat(
    ownRules(plan, chains, lowering),
    createPolicyChainRules(plan, chains.cluster, selectPoolEndpoints(plan.pools.cluster, reachable), lowering),
    createPolicyChainRules(plan, chains.local, selectPoolEndpoints(plan.pools.local, reachable), lowering),
    createEndpointRules(plan, reachable, lowering),
  )
}

/** Returns the rules in the chains of the service port, excluding the chains of its endpoints. */
function ownRules(plan: ServicePlan, chains: ServicePortChains, lowering: LoweringContext): readonly Rule[] {
  return createClusterIPMasqueradeRules(plan, chains, lowering).concat(
    createExternalChain(plan, chains, lowering),
    createFirewallChain(plan, chains, lowering),
  )
}

/**
 * Returns the KUBE-FW rules: packets from permitted sources continue to KUBE-EXT. All other packets are dropped in the
 * filter table, by KUBE-PROXY-FIREWALL. Returns no rules if no frontend has source ranges.
 */
function createFirewallChain(plan: ServicePlan, chains: ServicePortChains, lowering: LoweringContext): readonly Rule[] {
  const guarded = plan.frontends.filter(isFirewalled)
  const allowed = guarded[0]?.allowedSources
  if (allowed === undefined) return []
  const name = createAddressCommentMatch(plan, 'loadBalancer')
  const note = createCommentMatch(`other traffic to ${plan.id.text} will be dropped by KUBE-PROXY-FIREWALL`)
  const virtualIPs = allowed.includesThisNode ? guarded.flatMap(({ address }) => address ?? []) : []
  const accept = (address: string): Rule => ({
    chain: chains.firewall,
    matches: [name, createSourceAddressMatch(address)],
    target: { kind: 'jump', chain: chains.external },
  })
  return [
    ...allowed.ranges.map((range) => accept(range.text)),
    ...virtualIPs.map(accept),
    ...(lowering.features.firewallEndsWithNote ? [{ chain: chains.firewall, matches: [note] }] : []),
  ]
}
