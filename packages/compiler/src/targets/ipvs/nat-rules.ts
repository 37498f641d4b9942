import type { Match, Rule, RuleBlock } from '../../dataplane/iptables/ast.js'
import type { PlanHeader } from '../../plan/plan.js'
import { MARK_DROP_CHAIN } from '../shared/kube-chains.js'
import { createMarkMasqRules, createPostroutingRules, MARK_MASQ_TARGET, POSTROUTING_CHAIN } from '../shared/mark.js'
import { createLocalTrafficDetectionMatch, createSourceAddressMatch, TO_LOCAL_MATCH } from '../shared/match.js'
import {
  FIREWALL_CHAIN,
  LOAD_BALANCER_CHAIN,
  listNatTableChains,
  NODE_PORT_CHAIN,
  SERVICES_CHAIN,
} from './chain-names.js'
import { createLegacySctpRules } from './legacy-sctp-rules.js'
import {
  ACCEPT_TARGET,
  createJumpTarget,
  createRule,
  createRulesOfNonEmptySet,
  createSetMatch,
  createSetMatchWithComment,
  RETURN_TARGET,
  type SetContext,
  type SetDirections,
} from './set-rules.js'
import type { SetName } from './sets.js'

const LOOPBACK = { IPv4: '127.0.0.0/8', IPv6: '::1/128' } as const

/**
 * The matches for packets that come from outside and do not enter through a bridge. Packets from pods therefore do not
 * match.
 */
const FROM_OUTSIDE: readonly Match[] = [
  { kind: 'physdev', is: 'in', negated: true },
  { kind: 'addrtype', side: 'source', type: 'LOCAL', negated: true },
]

/** Builds the nat table. Mirrors `writeIptablesRules` of the ipvs proxier of kube-proxy v1.30. */
export function createNatBlock(frame: PlanHeader, context: SetContext): RuleBlock {
  return {
    owner: '',
    chains: listNatTableChains(context.features),
    rules: [
      ...loopbackRules(context),
      ...(context.features.markClearedBeforeSnat ? [] : createPostroutingRules(frame.kernel)),
      ...hairpinRules(context),
      ...(context.features.sourceRangesInNat ? sourceRangeRules(context) : []),
      ...loadBalancerRules(context),
      ...nodePortRules(context),
      ...clusterIPRules(frame, context),
      ...externalIPRules(context),
      createRule(SERVICES_CHAIN, [TO_LOCAL_MATCH], createJumpTarget(NODE_PORT_CHAIN)),
      createRule(LOAD_BALANCER_CHAIN, [], MARK_MASQ_TARGET),
      ...acceptRules(context),
      ...(context.features.markClearedBeforeSnat ? createPostroutingRules(frame.kernel) : []),
      ...createMarkMasqRules(frame.kernel),
    ],
  }
}

function loopbackRules({ family, features }: SetContext): readonly Rule[] {
  return features.loopbackNotMasqueraded
    ? [createRule(SERVICES_CHAIN, [createSourceAddressMatch(LOOPBACK[family])], RETURN_TARGET)]
    : []
}

/**
 * Returns the rules that masquerade hairpin traffic: packets from an endpoint to itself. Without these rules, the
 * endpoint would not receive the replies.
 */
function hairpinRules(context: SetContext): readonly Rule[] {
  const matches = createSetMatchWithComment('KUBE-LOOP-BACK', ['dst', 'dst', 'src'], context)
  return createRulesOfNonEmptySet('KUBE-LOOP-BACK', context, [
    createRule(POSTROUTING_CHAIN, matches, { kind: 'masquerade', randomFully: false }),
  ])
}

function loadBalancerRules(context: SetContext): readonly Rule[] {
  const balanced = createSetMatchWithComment('KUBE-LOAD-BALANCER', ['dst', 'dst'], context)
  const local = createSetMatchWithComment('KUBE-LOAD-BALANCER-LOCAL', ['dst', 'dst'], context)
  return [
    ...createRulesOfNonEmptySet('KUBE-LOAD-BALANCER', context, [
      createRule(SERVICES_CHAIN, balanced, createJumpTarget(LOAD_BALANCER_CHAIN)),
    ]),
    ...createRulesOfNonEmptySet('KUBE-LOAD-BALANCER-LOCAL', context, [
      createRule(LOAD_BALANCER_CHAIN, local, RETURN_TARGET),
    ]),
  ]
}

function nodePortRules(context: SetContext): readonly Rule[] {
  const overTcpAndUdp = [
    ...nodePortRulesOf('tcp', 'KUBE-NODE-PORT-LOCAL-TCP', 'KUBE-NODE-PORT-TCP', ['dst'], context),
    ...nodePortRulesOf('udp', 'KUBE-NODE-PORT-LOCAL-UDP', 'KUBE-NODE-PORT-UDP', ['dst'], context),
  ]
  if (!context.features.localSctpNodePortsReturn) return [...overTcpAndUdp, ...createLegacySctpRules(context)]
  return [
    ...overTcpAndUdp,
    ...nodePortRulesOf('sctp', 'KUBE-NODE-PORT-LOCAL-SCTP-HASH', 'KUBE-NODE-PORT-SCTP-HASH', ['dst', 'dst'], context),
  ]
}

/**
 * Returns the rules of node ports for one protocol. Packets to node ports that preserve the client IP leave the chain
 * before all other packets are marked.
 */
function nodePortRulesOf(
  protocol: string,
  local: SetName,
  all: SetName,
  directions: SetDirections,
  context: SetContext,
): readonly Rule[] {
  const matches = (set: SetName): readonly Match[] => [
    { kind: 'protocol', protocol, negated: false },
    ...createSetMatchWithComment(set, directions, context),
  ]
  return [
    ...createRulesOfNonEmptySet(local, context, [createRule(NODE_PORT_CHAIN, matches(local), RETURN_TARGET)]),
    ...createRulesOfNonEmptySet(all, context, [createRule(NODE_PORT_CHAIN, matches(all), MARK_MASQ_TARGET)]),
  ]
}

function clusterIPRules(frame: PlanHeader, context: SetContext): readonly Rule[] {
  const matches = masqueradedAtClusterIPs(frame, context)
  return createRulesOfNonEmptySet('KUBE-CLUSTER-IP', context, [createRule(SERVICES_CHAIN, matches, MARK_MASQ_TARGET)])
}

function masqueradedAtClusterIPs({ clusterIPMasquerade, node }: PlanHeader, context: SetContext): readonly Match[] {
  const matches = (directions: SetDirections): readonly Match[] =>
    createSetMatchWithComment('KUBE-CLUSTER-IP', directions, context)
  switch (clusterIPMasquerade) {
    case 'all':
      return matches(['dst', 'dst'])
    case 'offCluster':
      return [
        ...matches(['dst', 'dst']),
        ...(node.localTrafficDetection ? [createLocalTrafficDetectionMatch(node.localTrafficDetection, true)] : []),
      ]
    case 'none':
      // This rule masquerades only packets of the node itself with a cluster IP as source. No other packets to cluster
      // IPs are masqueraded.
      return matches(['src', 'dst'])
  }
}

function externalIPRules(context: SetContext): readonly Rule[] {
  const anywhere = createSetMatchWithComment('KUBE-EXTERNAL-IP', ['dst', 'dst'], context)
  const local = createSetMatchWithComment('KUBE-EXTERNAL-IP-LOCAL', ['dst', 'dst'], context)
  return [
    ...createRulesOfNonEmptySet('KUBE-EXTERNAL-IP', context, [
      createRule(SERVICES_CHAIN, anywhere, MARK_MASQ_TARGET),
      ...externalTrafficRules(anywhere),
    ]),
    ...createRulesOfNonEmptySet('KUBE-EXTERNAL-IP-LOCAL', context, externalTrafficRules(local)),
  ]
}

function externalTrafficRules(matches: readonly Match[]): readonly Rule[] {
  return [
    createRule(SERVICES_CHAIN, [...matches, ...FROM_OUTSIDE], ACCEPT_TARGET),
    createRule(SERVICES_CHAIN, [...matches, TO_LOCAL_MATCH], ACCEPT_TARGET),
  ]
}

function acceptRules(context: SetContext): readonly Rule[] {
  const sets: readonly SetName[] = ['KUBE-CLUSTER-IP', 'KUBE-LOAD-BALANCER']
  return sets.flatMap((set) =>
    createRulesOfNonEmptySet(set, context, [
      createRule(SERVICES_CHAIN, [createSetMatch(set, ['dst', 'dst'], context)], ACCEPT_TARGET),
    ]),
  )
}

/**
 * Returns the source-range rules in the nat table of kube-proxy up to 1.24. Packets to load-balancer IPs with source
 * ranges return from KUBE-FIREWALL if their source is permitted; otherwise, they are marked for dropping. Newer
 * versions have the rules in `filter-rules` instead. Mirrors `writeIptablesRules` of the ipvs proxier of kube-proxy
 * v1.24.
 */
function sourceRangeRules(context: SetContext): readonly Rule[] {
  const guarded = createSetMatchWithComment('KUBE-LOAD-BALANCER-FW', ['dst', 'dst'], context)
  const returnFrom = (set: SetName): readonly Rule[] =>
    createRulesOfNonEmptySet(set, context, [
      createRule(FIREWALL_CHAIN, createSetMatchWithComment(set, ['dst', 'dst', 'src'], context), RETURN_TARGET),
    ])
  return [
    ...createRulesOfNonEmptySet('KUBE-LOAD-BALANCER-FW', context, [
      createRule(LOAD_BALANCER_CHAIN, guarded, createJumpTarget(FIREWALL_CHAIN)),
    ]),
    ...returnFrom('KUBE-LOAD-BALANCER-SOURCE-CIDR'),
    ...returnFrom('KUBE-LOAD-BALANCER-SOURCE-IP'),
    createRule(FIREWALL_CHAIN, [], createJumpTarget(MARK_DROP_CHAIN)),
  ]
}
