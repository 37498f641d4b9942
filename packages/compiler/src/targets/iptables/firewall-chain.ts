import type { Rule } from '../../dataplane/iptables/ast.js'
import { isFirewalled } from '../../plan/frontend.js'
import type { ServicePlan } from '../../plan/plan.js'
import { createCommentMatch, createSourceAddressMatch } from '../shared/match.js'
import type { ServicePortChains } from './chain-names.js'
import { createAddressCommentMatch } from './dispatch.js'
import type { LoweringContext } from './lowering-context.js'

/**
 * Returns the KUBE-FW rules: packets from permitted sources continue to KUBE-EXT. All other packets are dropped in the
 * filter table, by KUBE-PROXY-FIREWALL. Returns no rules if no frontend has source ranges.
 */
export function createFirewallChain(
  plan: ServicePlan,
  chains: ServicePortChains,
  lowering: LoweringContext,
): readonly Rule[] {
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
