import type { Rule } from '../../dataplane/nftables/ast.js'
import type { Frontend, ServicePlan } from '../../plan/plan.js'
import type { Lowering } from './lowering.js'
import { match, sourceAddress } from './statements.js'

/** Whether packets for the frontend are held against source ranges, also where no endpoint can take them. */
export function isGuarded({ allowedSources }: Frontend): boolean {
  return allowedSources !== undefined
}

/** The rules of firewall-: whoever may not come is dropped. Empty where no frontend has source ranges. */
export function firewallRules({ frontends }: ServicePlan, { family }: Lowering): readonly Rule[] {
  const guarded = frontends.filter(isGuarded)
  const allowed = guarded[0]?.allowedSources
  if (allowed === undefined) return []
  const virtualIPs = allowed.includesThisNode ? guarded.flatMap(({ address }) => address ?? []) : []
  const keys = [...allowed.ranges.map(({ text }) => text), ...virtualIPs]
  return [{ statements: [match([sourceAddress(family)], { kind: 'anonymous', keys }, '!='), { kind: 'drop' }] }]
}
