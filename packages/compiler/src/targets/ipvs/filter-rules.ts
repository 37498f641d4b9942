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
  createJumpTarget,
  createRule,
  createRulesOfNonEmptySet,
  createSetMatch,
  createSetMatchWithComment,
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
  return { owner: '', chains: listFilterTableChains(context.features), rules: sourceRangeRules(context) }
}

function sourceRangeRules(context: SetContext): readonly Rule[] {
  if (context.features.sourceRangesInNat) return []
  const guarded = createSetMatchWithComment('KUBE-LOAD-BALANCER-FW', ['dst', 'dst'], context)
  const acceptFrom = (set: SetName): readonly Rule[] => {
    const matches = createSetMatchWithComment(set, ['dst', 'dst', 'src'], context)
    return createRulesOfNonEmptySet(set, context, [createRule(SOURCE_RANGES_CHAIN, matches, RETURN_TARGET)])
  }
  return [
    ...createRulesOfNonEmptySet('KUBE-LOAD-BALANCER-FW', context, [
      createRule(PROXY_FIREWALL_CHAIN, guarded, createJumpTarget(SOURCE_RANGES_CHAIN)),
    ]),
    ...acceptFrom('KUBE-LOAD-BALANCER-SOURCE-CIDR'),
    ...acceptFrom('KUBE-LOAD-BALANCER-SOURCE-IP'),
    createRule(SOURCE_RANGES_CHAIN, [], DROP_TARGET),
  ]
}

/**
 * Returns the block of the filter table after the rules of the service ports. Its rules handle forwarded packets and
 * health checks, and reject packets to all other ports of the addresses on `kube-ipvs0`.
 */
export function createTrailingFilterBlock(frame: PlanHeader, context: SetContext): RuleBlock {
  const healthCheck = createSetMatchWithComment('KUBE-HEALTH-CHECK-NODE-PORT', ['dst'], context)
  return {
    owner: '',
    chains: [],
    rules: [
      ...createForwardAcceptRules(frame),
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
