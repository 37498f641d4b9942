import type { Match, Rule, RuleBlock } from '../../dataplane/iptables/ast.js'
import type { PlanHeader } from '../../plan/plan.js'
import { createForwardAcceptRules } from '../shared/mark.js'
import {
  IPVS_FILTER_CHAIN,
  listFilterTableChains,
  NODE_PORT_CHAIN,
  PROXY_FIREWALL_CHAIN,
  SOURCE_RANGES_CHAIN,
} from './chain-names.js'
import {
  ACCEPT_TARGET,
  createRule,
  createSetMatch,
  createSetMatchWithComment,
  createSourceRangeRules,
  DROP_TARGET,
  RETURN_TARGET,
  type SetContext,
} from './set-rules.js'
import type { SetName } from './sets.js'

/**
 * Returns the block of the filter table before the rules of the service ports. Its rules drop packets to load-balancer
 * IPs from sources outside the source ranges.
 */
export function createLeadingFilterBlock(context: SetContext): RuleBlock {
  const { features } = context
  const rules = features.sourceRangesInNat
    ? []
    : createSourceRangeRules(PROXY_FIREWALL_CHAIN, SOURCE_RANGES_CHAIN, DROP_TARGET, context)
  return { owner: '', chains: listFilterTableChains(features), rules }
}

/**
 * Returns the block of the filter table after the rules of the service ports. Its rules handle forwarded packets and
 * health checks, and reject packets to all other ports of the addresses on `kube-ipvs0`.
 */
export function createTrailingFilterBlock(header: PlanHeader, context: SetContext): RuleBlock {
  const healthCheck = createSetMatchWithComment('KUBE-HEALTH-CHECK-NODE-PORT', ['dst'], context)
  return {
    owner: '',
    chains: [],
    rules: [
      ...createForwardAcceptRules(header),
      ...(context.features.healthChecksAccepted ? [createRule(NODE_PORT_CHAIN, healthCheck, ACCEPT_TARGET)] : []),
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
  const healthCheck = createSetMatch('KUBE-HEALTH-CHECK-NODE-PORT', ['dst'], context)
  const newConnection: Match = { kind: 'conntrack', states: ['NEW'], negated: false }
  return [
    ...served.map((set) =>
      createRule(IPVS_FILTER_CHAIN, [createSetMatch(set, ['dst', 'dst'], context)], RETURN_TARGET),
    ),
    ...(accessToHealthChecks ? [createRule(IPVS_FILTER_CHAIN, [healthCheck], RETURN_TARGET)] : []),
    createRule(IPVS_FILTER_CHAIN, [newConnection, createSetMatch('KUBE-IPVS-IPS', ['dst'], context)], {
      kind: 'reject',
    }),
  ]
}
