import type { Rule } from '../../dataplane/nftables/ast.js'
import { hasAllowedSources } from '../../plan/frontend.js'
import type { ServicePlan } from '../../plan/plan.js'
import type { LoweringContext } from './lowering-context.js'
import { createMatch, sourceAddressSelector } from './statements.js'

/** Returns the rules of the firewall- chain, which drop other sources. Empty if no frontend has source ranges. */
export function firewallRules({ frontends }: ServicePlan, { family, features }: LoweringContext): readonly Rule[] {
  if (features.alphaTable) return []
  const guarded = frontends.filter(hasAllowedSources)
  const allowed = guarded[0]?.allowedSources
  if (allowed === undefined) return []
  const virtualIPs = allowed.includesThisNode ? guarded.flatMap(({ address }) => address ?? []) : []
  const keys = [...allowed.ranges.map(({ text }) => text), ...virtualIPs]
  return [
    { statements: [createMatch([sourceAddressSelector(family)], { kind: 'anonymous', keys }, '!='), { kind: 'drop' }] },
  ]
}
