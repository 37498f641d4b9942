import type { Rule, Statement } from '../../dataplane/nftables/ast.js'
import type { Frontend, PoolName, ServicePlan } from '../../plan/plan.js'
import type { LoweringContext } from './lowering-context.js'
import { createMatch, destinationAddressSelector, valueOperand } from './statements.js'

/**
 * Returns the first rule of the chain of `pool`, which masquerades packets to the cluster IP. Newer versions have one
 * rule for all cluster IPs.
 */
export function clusterIPMasqueradeRules(
  plan: ServicePlan,
  pool: PoolName,
  lowering: LoweringContext,
): readonly Rule[] {
  if (lowering.features.squashedEndpoints) return []
  return plan.frontends
    .filter(({ kind }) => kind === 'clusterIP')
    .flatMap((frontend) =>
      frontend.route.flatMap(({ source: when, masquerade, action: then }) =>
        masquerade && then.kind === 'pool' && then.pool === pool
          ? [{ statements: [...toFrontend(plan, frontend, lowering), ...lowering.when[when], lowering.mark] }]
          : [],
      ),
    )
}

function toFrontend(
  { id }: ServicePlan,
  { address = '', port }: Frontend,
  { family, features }: LoweringContext,
): readonly Statement[] {
  const toAddress = createMatch([destinationAddressSelector(family)], valueOperand(address))
  if (!features.masqueradeMatchesPort) return [toAddress]
  const protocol = id.protocol.toLowerCase()
  return [toAddress, createMatch([{ kind: 'payload', protocol, field: 'dport' }], valueOperand(String(port)))]
}
