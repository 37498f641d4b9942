import type { Rule } from '../../dataplane/iptables/ast.js'
import type { Features } from '../../model/configuration/features.js'
import { LOCALNET_FIREWALL_CHAIN } from '../shared/kube-chains.js'
import { FORWARD_CHAIN } from '../shared/mark.js'
import { EXTERNAL_SERVICES_CHAIN, NODE_PORTS_CHAIN, PROXY_FIREWALL_CHAIN, SERVICES_CHAIN } from './chain-names.js'
import { createJumpRule, createNewConnectionJumpRule, FILTER_JUMPS } from './jumps.js'

/** The only jump that older versions create and the newest version does not create: from INPUT to KUBE-SERVICES. */
export const LEGACY_INPUT_JUMP: Rule = createNewConnectionJumpRule('INPUT', SERVICES_CHAIN)

/** The jumps of the filter table up to 1.18, in the order of its built-in chains. */
const JUMPS_UNTIL_1_18: readonly Rule[] = [
  LEGACY_INPUT_JUMP,
  createNewConnectionJumpRule('INPUT', EXTERNAL_SERVICES_CHAIN),
  createJumpRule('FORWARD', FORWARD_CHAIN),
  createNewConnectionJumpRule('FORWARD', SERVICES_CHAIN),
  createNewConnectionJumpRule('OUTPUT', SERVICES_CHAIN),
]

/** Returns the jumps of the filter table in a version. */
export function listFilterTableJumps(features: Features): readonly Rule[] {
  if (features.inputEntersServices) return JUMPS_UNTIL_1_18
  return FILTER_JUMPS.filter(({ target }) => target?.kind === 'jump' && hasFilterChain(target.chain, features))
}

/** Reports whether a version has this chain in the filter table. */
export function hasFilterChain(chain: string, features: Features): boolean {
  switch (chain) {
    case LOCALNET_FIREWALL_CHAIN:
      return features.localnetGuard
    case PROXY_FIREWALL_CHAIN:
      return features.dropsInFilter
    case NODE_PORTS_CHAIN:
      return features.healthChecksAccepted
    default:
      return true
  }
}
