import type { Rule, Target } from '../../../dataplane/iptables/ast.js'
import type { Frontend, ServicePlan } from '../../../plan/plan.js'
import { JUMP_TO_MARK_MASQ } from '../../shared/mark.js'
import { sourceAddressMatch } from '../../shared/match.js'
import { addressCommentMatch } from '../dispatch.js'
import type { LoweringContext } from '../lowering-context.js'
import { JUMP_TO_MARK_DROP } from '../mark-drop-service-blocks.js'
import { balancingChainName, formatAddressForVersion, hasEndpoints } from './frontend-rules.js'
import type { XlbChains } from './xlb-chain.js'

/**
 * Returns the KUBE-FW rules, repeated for each load-balancer IP: packets are masqueraded with policy Cluster, accepted
 * sources continue, and packets that return from there are marked to be dropped.
 */
export function firewallRules(plan: ServicePlan, chains: XlbChains, lowering: LoweringContext): readonly Rule[] {
  return plan.frontends
    .filter((frontend) => frontend.kind === 'loadBalancer' && hasEndpoints(frontend))
    .flatMap((frontend) => rulesOf(plan, frontend, chains, lowering))
}

function rulesOf(plan: ServicePlan, frontend: Frontend, chains: XlbChains, lowering: LoweringContext): readonly Rule[] {
  const { address = '', allowedSources, preservesClientIP } = frontend
  const name = addressCommentMatch(plan, 'loadBalancer')
  const go: Target = { kind: 'jump', chain: balancingChainName(frontend, chains) }
  const rule = (target: Target, ...from: readonly string[]): Rule => ({
    chain: chains.firewall,
    matches: [name, ...from.map((network) => sourceAddressMatch(network))],
    target,
  })
  const accepting =
    allowedSources === undefined
      ? [rule(go)]
      : [
          ...allowedSources.ranges.map(({ text }) => rule(go, text)),
          ...(allowedSources.includesThisNode ? [rule(go, formatAddressForVersion(address, lowering))] : []),
        ]
  return [...(preservesClientIP ? [] : [rule(JUMP_TO_MARK_MASQ)]), ...accepting, rule(JUMP_TO_MARK_DROP)]
}
