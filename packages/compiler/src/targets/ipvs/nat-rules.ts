import type { Match, Rule, RuleBlock, Target } from '../../dataplane/iptables/ast.js'
import type { PlanHeader } from '../../plan/plan.js'
import { MARK_DROP_CHAIN } from '../shared/kube-chains.js'
import { createMarkMasqRules, createPostroutingRules, MARK_MASQ_TARGET, POSTROUTING_CHAIN } from '../shared/mark.js'
import {
  createLocalTrafficDetectionMatch,
  createSourceAddressMatch,
  FROM_OUTSIDE_MATCHES,
  TO_LOCAL_MATCH,
} from '../shared/match.js'
import {
  FIREWALL_CHAIN,
  LOAD_BALANCER_CHAIN,
  listNatTableChains,
  NODE_PORT_CHAIN,
  SERVICES_CHAIN,
} from './chain-names.js'
import {
  ACCEPT_TARGET,
  createJumpTarget,
  createRule,
  createRulesOfNonEmptySet,
  createSetMatch,
  createSetMatchWithComment,
  createSetRules,
  createSourceRangeRules,
  RETURN_TARGET,
  type SetContext,
  type SetDirections,
} from './set-rules.js'
import type { SetName } from './sets.js'

const LOOPBACK = { IPv4: '127.0.0.0/8', IPv6: '::1/128' } as const

/** Builds the nat table. Mirrors `writeIptablesRules` of the ipvs proxier of kube-proxy v1.30. */
export function createNatBlock(header: PlanHeader, context: SetContext): RuleBlock {
  return {
    owner: '',
    chains: listNatTableChains(context.features),
    rules: [
      ...loopbackRules(context),
      ...(context.features.markClearedBeforeSnat ? [] : createPostroutingRules(header.kernel)),
      ...hairpinRules(context),
      ...(context.features.sourceRangesInNat ? sourceRangeRules(context) : []),
      ...loadBalancerRules(context),
      ...nodePortRules(context),
      ...clusterIPRules(header, context),
      ...externalIPRules(context),
      createRule(SERVICES_CHAIN, [TO_LOCAL_MATCH], createJumpTarget(NODE_PORT_CHAIN)),
      createRule(LOAD_BALANCER_CHAIN, [], MARK_MASQ_TARGET),
      ...acceptRules(context),
      ...(context.features.markClearedBeforeSnat ? createPostroutingRules(header.kernel) : []),
      ...createMarkMasqRules(header.kernel),
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
  const target: Target = { kind: 'masquerade', randomFully: false }
  return createSetRules(POSTROUTING_CHAIN, 'KUBE-LOOP-BACK', ['dst', 'dst', 'src'], target, context)
}

function loadBalancerRules(context: SetContext): readonly Rule[] {
  const toLoadBalancer = createJumpTarget(LOAD_BALANCER_CHAIN)
  return [
    ...createSetRules(SERVICES_CHAIN, 'KUBE-LOAD-BALANCER', ['dst', 'dst'], toLoadBalancer, context),
    ...createSetRules(LOAD_BALANCER_CHAIN, 'KUBE-LOAD-BALANCER-LOCAL', ['dst', 'dst'], RETURN_TARGET, context),
  ]
}

function nodePortRules(context: SetContext): readonly Rule[] {
  const overTcpAndUdp = [
    ...nodePortRulesOf('tcp', 'KUBE-NODE-PORT-LOCAL-TCP', 'KUBE-NODE-PORT-TCP', ['dst'], context),
    ...nodePortRulesOf('udp', 'KUBE-NODE-PORT-LOCAL-UDP', 'KUBE-NODE-PORT-UDP', ['dst'], context),
  ]
  if (!context.features.localSctpNodePortsReturn)
    return [...overTcpAndUdp, ...ofProtocol('sctp', legacySctpRules(context))]
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
  return ofProtocol(protocol, [
    ...createSetRules(NODE_PORT_CHAIN, local, directions, RETURN_TARGET, context),
    ...createSetRules(NODE_PORT_CHAIN, all, directions, MARK_MASQ_TARGET, context),
  ])
}

/**
 * Returns the rules of kube-proxy up to 1.22 for SCTP node ports. Since 1.16, they masquerade packets to every SCTP node
 * port, even with the policy Local. In older versions, they masquerade packets to no SCTP node port. Mirrors
 * `ipsetWithIptablesChain` of the ipvs proxier of kube-proxy v1.22.
 */
function legacySctpRules(context: SetContext): readonly Rule[] {
  return context.features.sctpNodePortsByAddress
    ? [
        ...createSetRules(NODE_PORT_CHAIN, 'KUBE-NODE-PORT-SCTP-HASH', ['dst', 'dst'], MARK_MASQ_TARGET, context),
        ...createSetRules(NODE_PORT_CHAIN, 'KUBE-NODE-PORT-LOCAL-SCTP-HASH', ['dst', 'dst'], RETURN_TARGET, context),
      ]
    : [
        ...createSetRules(SERVICES_CHAIN, 'KUBE-NODE-PORT-SCTP', ['dst'], createJumpTarget(NODE_PORT_CHAIN), context),
        ...createSetRules(NODE_PORT_CHAIN, 'KUBE-NODE-PORT-LOCAL-SCTP', ['dst'], RETURN_TARGET, context),
      ]
}

/** Limits rules to packets of a protocol. */
function ofProtocol(protocol: string, rules: readonly Rule[]): readonly Rule[] {
  return rules.map((rule) => ({ ...rule, matches: [{ kind: 'protocol', protocol, negated: false }, ...rule.matches] }))
}

function clusterIPRules(header: PlanHeader, context: SetContext): readonly Rule[] {
  const matches = masqueradedAtClusterIPs(header, context)
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
    createRule(SERVICES_CHAIN, [...matches, ...FROM_OUTSIDE_MATCHES], ACCEPT_TARGET),
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
 * Returns the source-range rules in the nat table of kube-proxy up to 1.24. Newer versions have the rules in
 * `filter-rules` instead. Mirrors `writeIptablesRules` of the ipvs proxier of kube-proxy v1.24.
 */
function sourceRangeRules(context: SetContext): readonly Rule[] {
  return createSourceRangeRules(LOAD_BALANCER_CHAIN, FIREWALL_CHAIN, createJumpTarget(MARK_DROP_CHAIN), context)
}
