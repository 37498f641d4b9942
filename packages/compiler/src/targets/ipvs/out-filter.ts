import type { Block, Rule } from '../../dataplane/iptables/ast.js'
import { formatServicePort } from '../../model/services/format-service-port.js'
import type { Frontend, ServicePlan } from '../../plan/plan.js'
import { sourceAddressMatch } from '../shared/match.js'
import { IPVS_OUT_FILTER_CHAIN } from './chain-names.js'

/**
 * Returns the rules that block packets of the node itself to load-balancer IPs whose source ranges do not contain the
 * node. Such packets have the load-balancer IP as source, because it is a local address. Undefined if there are none.
 */
export function outputFilterBlock(service: ServicePlan): Block | undefined {
  if (!service.frontends.some(isGuarded)) return undefined
  const owner = formatServicePort(service.id)
  const rules = service.frontends.flatMap((frontend) => dropRules(service, frontend))
  return rules.length === 0 ? undefined : { owner, chains: [], rules }
}

function isGuarded({ allowedSources }: Frontend): boolean {
  return allowedSources !== undefined
}

function dropRules({ id }: ServicePlan, { address, port, allowedSources }: Frontend): readonly Rule[] {
  if (address === undefined || allowedSources === undefined || allowedSources.includesThisNode) return []
  const protocol = id.protocol.toLowerCase()
  return [
    {
      chain: IPVS_OUT_FILTER_CHAIN,
      matches: [sourceAddressMatch(address), { kind: 'ipvs', address, protocol, port }],
      target: { kind: 'drop' },
    },
  ]
}
