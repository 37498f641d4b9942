import { toHostPrefix } from '@kube-rules/types/internal/cidr'
import type { Match, Rule, Target } from '../../../dataplane/iptables/ast.js'
import { blockingVerdictOf } from '../../../plan/frontend.js'
import type { Frontend, ServicePlan } from '../../../plan/plan.js'
import { MARK_MASQ_TARGET } from '../../shared/mark.js'
import {
  createCommentMatch,
  createDestinationAddressMatch,
  createDestinationPortMatch,
  FROM_OUTSIDE_MATCHES,
  TO_LOCAL_MATCH,
  TRANSPORT_MATCHES,
} from '../../shared/match.js'
import { NODE_PORTS_CHAIN, SERVICES_CHAIN } from '../chain-names.js'
import { createAddressCommentMatch } from '../dispatch.js'
import { selectFrontendsWithRules } from '../legacy-frontends.js'
import type { LoweringContext } from '../lowering-context.js'
import type { XlbChains } from './xlb-chain.js'

/**
 * Returns the rules of nat/KUBE-SERVICES and nat/KUBE-NODEPORTS that send packets for a service port to its own chains.
 * Each of these rules follows the rules that masquerade the same packets. Packets to load-balancer IPs are masqueraded
 * in KUBE-FW instead.
 */
export function createFrontendRules(plan: ServicePlan, chains: XlbChains, lowering: LoweringContext): readonly Rule[] {
  const frontends = selectFrontendsWithRules(plan, lowering)
  return frontends.filter(hasEndpoints).flatMap((frontend) => {
    const masquerading = frontend.kind === 'loadBalancer' ? [] : masqueradeRules(plan, frontend, chains, lowering)
    return [...masquerading, ...dispatchRules(plan, frontend, chains, lowering)]
  })
}

/** Reports whether the Service of a frontend has endpoints: if not, every packet is rejected. */
export function hasEndpoints(frontend: Frontend): boolean {
  return blockingVerdictOf(frontend) !== 'reject'
}

/** Returns the matches of one frontend: its comment, then `-m tcp -p tcp -d ADDRESS --dport PORT`. */
function createCommentedFrontendMatches(
  plan: ServicePlan,
  frontend: Frontend,
  lowering: LoweringContext,
): readonly Match[] {
  const name =
    frontend.kind === 'nodePort' ? createCommentMatch(plan.id.text) : createAddressCommentMatch(plan, frontend.kind)
  return [name, ...createFrontendMatches(plan, frontend, lowering)]
}

/** Returns the matches `-m tcp -p tcp -d ADDRESS --dport PORT` of one frontend. */
export function createFrontendMatches(
  plan: ServicePlan,
  { address, port }: Frontend,
  lowering: LoweringContext,
): readonly Match[] {
  const transport = TRANSPORT_MATCHES[plan.id.protocol]
  if (address === undefined) return [...transport, createDestinationPortMatch(port)]
  return [
    ...transport,
    createDestinationAddressMatch(formatAddressForKubeProxyVersion(address, lowering)),
    createDestinationPortMatch(port),
  ]
}

/** Returns an address in the notation that the version writes. */
export function formatAddressForKubeProxyVersion(address: string, { features }: LoweringContext): string {
  return features.addressesWithLength ? toHostPrefix(address) : address
}

/** Returns the chain that balances connections over the endpoints of a frontend. */
export function formatBalancingChainName({ preservesClientIP }: Frontend, chains: XlbChains): string {
  return preservesClientIP ? chains.xlb : chains.cluster
}

function masqueradeRules(
  plan: ServicePlan,
  frontend: Frontend,
  chains: XlbChains,
  lowering: LoweringContext,
): readonly Rule[] {
  const chain = lowering.features.masqueradeInServiceChain ? chains.cluster : dispatchChain(frontend)
  const matches = createCommentedFrontendMatches(plan, frontend, lowering)
  if (frontend.preservesClientIP)
    return frontend.kind === 'nodePort' ? [loopbackRule([...matches, ...lowering.when.fromLoopback])] : []
  return frontend.clauses
    .filter(({ masquerade }) => masquerade)
    .map(({ source: when }) => ({ chain, matches: [...matches, ...lowering.when[when]], target: MARK_MASQ_TARGET }))
}

/** Returns the rule that masquerades packets from a loopback address to a node port with the policy Local. */
function loopbackRule(matches: readonly Match[]): Rule {
  return { chain: NODE_PORTS_CHAIN, matches, target: MARK_MASQ_TARGET }
}

function dispatchChain({ kind }: Frontend): string {
  return kind === 'nodePort' ? NODE_PORTS_CHAIN : SERVICES_CHAIN
}

function dispatchRules(
  plan: ServicePlan,
  frontend: Frontend,
  chains: XlbChains,
  { features, ...lowering }: LoweringContext,
): readonly Rule[] {
  const chain = frontend.kind === 'loadBalancer' ? chains.firewall : formatBalancingChainName(frontend, chains)
  const target: Target = { kind: 'jump', chain }
  const matches = createCommentedFrontendMatches(plan, frontend, { features, ...lowering })
  const all =
    frontend.kind === 'externalIP' && features.externalIPsSpareBridges ? [FROM_OUTSIDE_MATCHES, [TO_LOCAL_MATCH]] : [[]]
  return all.map((more): Rule => ({ chain: dispatchChain(frontend), matches: [...matches, ...more], target }))
}
