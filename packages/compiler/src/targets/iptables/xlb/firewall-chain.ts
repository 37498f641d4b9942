import type { Rule, Target } from '../../../dataplane/iptables/ast.js'
import type { Frontend, ServicePlan } from '../../../plan/plan.js'
import { JUMP_TO_MARK_MASQ } from '../../shared/mark.js'
import { source } from '../../shared/match.js'
import { addressComment } from '../dispatch.js'
import { JUMP_TO_MARK_DROP } from '../drops-in-nat.js'
import type { Lowering } from '../lowering.js'
import { balancingChain, formatVersionedAddress, hasEndpoints } from './frontend-rules.js'
import type { XlbChains } from './xlb-chain.js'

/**
 * Returns the KUBE-FW rules, repeated for each load-balancer IP: packets are masqueraded with policy Cluster, accepted
 * sources continue, and packets that return from there are marked to be dropped.
 */
export function firewallRules(plan: ServicePlan, chains: XlbChains, lowering: Lowering): readonly Rule[] {
  return plan.frontends
    .filter((frontend) => frontend.kind === 'loadBalancer' && hasEndpoints(frontend))
    .flatMap((frontend) => rulesOf(plan, frontend, chains, lowering))
}

function rulesOf(plan: ServicePlan, frontend: Frontend, chains: XlbChains, lowering: Lowering): readonly Rule[] {
  const { address = '', allowedSources, preservesClientIP } = frontend
  const name = addressComment(plan, 'loadBalancer')
  const go: Target = { kind: 'jump', chain: balancingChain(frontend, chains) }
  const rule = (target: Target, ...from: readonly string[]): Rule => ({
    chain: chains.firewall,
    matches: [name, ...from.map((network) => source(network))],
    target,
  })
  const accepting =
    allowedSources === undefined
      ? [rule(go)]
      : [
          ...allowedSources.ranges.map(({ text }) => rule(go, text)),
          ...(allowedSources.includesThisNode ? [rule(go, formatVersionedAddress(address, lowering))] : []),
        ]
  return [...(preservesClientIP ? [] : [rule(JUMP_TO_MARK_MASQ)]), ...accepting, rule(JUMP_TO_MARK_DROP)]
}
