import type { Match, Rule } from '../../dataplane/iptables/ast.js'
import { MARK_MASQ_TARGET } from '../shared/mark.js'
import { NODE_PORT_CHAIN, SERVICES_CHAIN } from './chain-names.js'
import {
  createJumpTarget,
  createRule,
  createRulesOfNonEmptySet,
  createSetMatchWithComment,
  RETURN_TARGET,
  type SetContext,
  type SetDirections,
} from './set-rules.js'
import type { SetName } from './sets.js'

/**
 * Returns the rules of kube-proxy up to 1.22 for SCTP node ports. Depending on the version, these rules masquerade
 * packets to every SCTP node port, even with the policy Local, or packets to no SCTP node port. Mirrors
 * `ipsetWithIptablesChain` of the ipvs proxier of kube-proxy v1.22.
 */
export function createLegacySctpRules(context: SetContext): readonly Rule[] {
  return context.features.sctpNodePortsByAddress ? rulesByAddress(context) : rulesByPort(context)
}

function rulesByAddress(context: SetContext): readonly Rule[] {
  const [all, local] = ['KUBE-NODE-PORT-SCTP-HASH', 'KUBE-NODE-PORT-LOCAL-SCTP-HASH'] as const
  return [
    ...createRulesOfNonEmptySet(all, context, [
      createRule(NODE_PORT_CHAIN, matches(all, ['dst', 'dst'], context), MARK_MASQ_TARGET),
    ]),
    ...createRulesOfNonEmptySet(local, context, [
      createRule(NODE_PORT_CHAIN, matches(local, ['dst', 'dst'], context), RETURN_TARGET),
    ]),
  ]
}

/**
 * Returns the rules of versions before 1.16. In these versions, KUBE-NODE-PORT masquerades no packets to SCTP node
 * ports.
 */
function rulesByPort(context: SetContext): readonly Rule[] {
  const [all, local] = ['KUBE-NODE-PORT-SCTP', 'KUBE-NODE-PORT-LOCAL-SCTP'] as const
  return [
    ...createRulesOfNonEmptySet(all, context, [
      createRule(SERVICES_CHAIN, matches(all, ['dst'], context), createJumpTarget(NODE_PORT_CHAIN)),
    ]),
    ...createRulesOfNonEmptySet(local, context, [
      createRule(NODE_PORT_CHAIN, matches(local, ['dst'], context), RETURN_TARGET),
    ]),
  ]
}

function matches(set: SetName, directions: SetDirections, context: SetContext): readonly Match[] {
  return [
    { kind: 'protocol', protocol: 'sctp', negated: false },
    ...createSetMatchWithComment(set, directions, context),
  ]
}
