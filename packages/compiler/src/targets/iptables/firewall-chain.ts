import type { Rule } from '../../dataplane/iptables/ast.js'
import { isFirewalled } from '../../plan/frontend.js'
import type { ServicePlan } from '../../plan/plan.js'
import { comment, source } from '../shared/match.js'
import type { ServicePortChains } from './chain-names.js'
import { addressComment } from './dispatch.js'
import type { Lowering } from './lowering.js'

/**
 * Returns the KUBE-FW rules: permitted sources continue to KUBE-EXT. All other packets are dropped in the filter table,
 * by KUBE-PROXY-FIREWALL. Empty if no frontend has source ranges.
 */
export function firewallChain(plan: ServicePlan, chains: ServicePortChains, lowering: Lowering): readonly Rule[] {
  const guarded = plan.frontends.filter(isFirewalled)
  const allowed = guarded[0]?.allowedSources
  if (allowed === undefined) return []
  const name = addressComment(plan, 'loadBalancer')
  const note = comment(`other traffic to ${plan.id.text} will be dropped by KUBE-PROXY-FIREWALL`)
  const virtualIPs = allowed.includesThisNode ? guarded.flatMap(({ address }) => address ?? []) : []
  const accept = (address: string): Rule => ({
    chain: chains.firewall,
    matches: [name, source(address)],
    target: { kind: 'jump', chain: chains.external },
  })
  return [
    ...allowed.ranges.map((range) => accept(range.text)),
    ...virtualIPs.map(accept),
    ...(lowering.features.firewallEndsWithNote ? [{ chain: chains.firewall, matches: [note] }] : []),
  ]
}
