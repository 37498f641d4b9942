import type { Block, Match, Rule } from '../../dataplane/iptables/ast.js'
import type { PlanHeader } from '../../plan/plan.js'
import { forwardAcceptRules } from '../shared/mark.js'
import {
  filterChains,
  IPVS_FILTER_CHAIN,
  NODE_PORT_CHAIN,
  PROXY_FIREWALL_CHAIN,
  SOURCE_RANGES_CHAIN,
} from './chain-names.js'
import { ACCEPT, DROP, inNamedSet, inSet, jumpTo, RETURN, rule, type SetContext, whenNonEmpty } from './set-rules.js'
import type { SetName } from './sets.js'

/**
 * Returns the filter table before the rules of the service ports: permitted sources of load-balancer IPs with source
 * ranges.
 */
export function filterHead(context: SetContext): Block {
  return { owner: '', chains: filterChains(context.features), rules: sourceRangeRules(context) }
}

function sourceRangeRules(context: SetContext): readonly Rule[] {
  if (context.features.sourceRangesInNat) return []
  const guarded = inNamedSet('KUBE-LOAD-BALANCER-FW', ['dst', 'dst'], context)
  const acceptFrom = (set: SetName): readonly Rule[] => {
    const matches = inNamedSet(set, ['dst', 'dst', 'src'], context)
    return whenNonEmpty(set, context, [rule(SOURCE_RANGES_CHAIN, matches, RETURN)])
  }
  return [
    ...whenNonEmpty('KUBE-LOAD-BALANCER-FW', context, [
      rule(PROXY_FIREWALL_CHAIN, guarded, jumpTo(SOURCE_RANGES_CHAIN)),
    ]),
    ...acceptFrom('KUBE-LOAD-BALANCER-SOURCE-CIDR'),
    ...acceptFrom('KUBE-LOAD-BALANCER-SOURCE-IP'),
    rule(SOURCE_RANGES_CHAIN, [], DROP),
  ]
}

/**
 * Returns the rest of the filter table: forwarded packets, health checks, and rejects of all other ports of the
 * addresses on `kube-ipvs0`.
 */
export function filterTail(frame: PlanHeader, context: SetContext): Block {
  const healthCheck = inNamedSet('KUBE-HEALTH-CHECK-NODE-PORT', ['dst'], context)
  return {
    owner: '',
    chains: [],
    rules: [
      ...forwardAcceptRules(frame),
      ...(context.features.healthChecksAccepted ? [rule(NODE_PORT_CHAIN, healthCheck, ACCEPT)] : []),
      ...accessFilterRules(context),
    ],
  }
}

function accessFilterRules(context: SetContext): readonly Rule[] {
  const { accessFilter, accessToLocalExternalIPs, accessToHealthChecks } = context.features
  if (!accessFilter) return []
  const served: readonly SetName[] = [
    'KUBE-LOAD-BALANCER',
    'KUBE-CLUSTER-IP',
    'KUBE-EXTERNAL-IP',
    ...(accessToLocalExternalIPs ? (['KUBE-EXTERNAL-IP-LOCAL'] as const) : []),
  ]
  const healthCheck = inSet('KUBE-HEALTH-CHECK-NODE-PORT', ['dst'], context)
  const newConnection: Match = { kind: 'conntrack', states: ['NEW'], negated: false }
  return [
    ...served.map((set) => rule(IPVS_FILTER_CHAIN, [inSet(set, ['dst', 'dst'], context)], RETURN)),
    ...(accessToHealthChecks ? [rule(IPVS_FILTER_CHAIN, [healthCheck], RETURN)] : []),
    rule(IPVS_FILTER_CHAIN, [newConnection, inSet('KUBE-IPVS-IPS', ['dst'], context)], { kind: 'reject' }),
  ]
}
