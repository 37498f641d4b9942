import type { Rule } from '../../dataplane/iptables/ast.js'
import type { Features } from '../../model/configuration/features.js'
import { FORWARD_CHAIN, POSTROUTING_CHAIN } from '../shared/mark.js'
import { createCommentMatch } from '../shared/match.js'
import {
  IPVS_FILTER_CHAIN,
  IPVS_OUT_FILTER_CHAIN,
  listFilterTableChains,
  NODE_PORT_CHAIN,
  PROXY_FIREWALL_CHAIN,
  SERVICES_CHAIN,
} from './chain-names.js'

/**
 * The jumps of the nat table in the order of the hooks. Each built-in chain has only one jump, so the order of creation
 * does not matter.
 */
export const NAT_JUMPS: readonly Rule[] = [
  jump('PREROUTING', SERVICES_CHAIN, 'kubernetes service portals'),
  jump('OUTPUT', SERVICES_CHAIN, 'kubernetes service portals'),
  jump('POSTROUTING', POSTROUTING_CHAIN, 'kubernetes postrouting rules'),
]

/**
 * The jumps of the filter table in the order of its built-in chains. kube-proxy v1.30 inserts each jump at the start of
 * its chain (`iptablesJumpChain` of its ipvs proxier). Therefore, the order of the jumps within a chain is the reverse
 * of their order of creation.
 */
export const FILTER_JUMPS: readonly Rule[] = [
  jump('INPUT', IPVS_FILTER_CHAIN, 'kubernetes ipvs access filter'),
  jump('INPUT', PROXY_FIREWALL_CHAIN, 'kube-proxy firewall rules'),
  jump('INPUT', NODE_PORT_CHAIN, 'kubernetes health check rules'),
  jump('FORWARD', PROXY_FIREWALL_CHAIN, 'kube-proxy firewall rules'),
  jump('FORWARD', FORWARD_CHAIN, 'kubernetes forwarding rules'),
  jump('OUTPUT', IPVS_OUT_FILTER_CHAIN, 'kubernetes ipvs access filter'),
]

/** Returns those jumps of the filter table to chains of the given version. */
export function listFilterTableJumps(features: Features): readonly Rule[] {
  const chains = new Set(listFilterTableChains(features))
  return FILTER_JUMPS.filter(({ target }) => target?.kind === 'jump' && chains.has(target.chain))
}

function jump(from: string, to: string, text: string): Rule {
  return { chain: from, matches: [createCommentMatch(text)], target: { kind: 'jump', chain: to } }
}
