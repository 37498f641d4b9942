import type { ConntrackMatch, Rule } from '../../dataplane/iptables/ast.js'
import { LOCALNET_FIREWALL_CHAIN } from '../shared/kube-chains.js'
import { FORWARD_CHAIN, POSTROUTING_CHAIN } from '../shared/mark.js'
import { createCommentMatch } from '../shared/match.js'
import { EXTERNAL_SERVICES_CHAIN, NODE_PORTS_CHAIN, PROXY_FIREWALL_CHAIN, SERVICES_CHAIN } from './chain-names.js'

const NEW_CONNECTION: ConntrackMatch = { kind: 'conntrack', states: ['NEW'], negated: false }

/** The purpose of each jump from a built-in chain, in the wording of the comments of kube-proxy. */
const COMMENTS: ReadonlyMap<string, string> = new Map([
  [EXTERNAL_SERVICES_CHAIN, 'kubernetes externally-visible service portals'],
  [NODE_PORTS_CHAIN, 'kubernetes health check service ports'],
  [SERVICES_CHAIN, 'kubernetes service portals'],
  [FORWARD_CHAIN, 'kubernetes forwarding rules'],
  [PROXY_FIREWALL_CHAIN, 'kubernetes load balancer firewall'],
  [POSTROUTING_CHAIN, 'kubernetes postrouting rules'],
])

/**
 * The jumps of the filter table in the order of its built-in chains. kube-proxy v1.30 inserts each jump at the start of
 * its chain (`iptablesJumpChains`, then `iptablesKubeletJumpChains`). Therefore, the order of the jumps within a chain
 * is the reverse of their order of creation.
 */
export const FILTER_JUMPS: readonly Rule[] = [
  createJumpRule('INPUT', LOCALNET_FIREWALL_CHAIN),
  createNewConnectionJumpRule('INPUT', PROXY_FIREWALL_CHAIN),
  createJumpRule('INPUT', NODE_PORTS_CHAIN),
  createNewConnectionJumpRule('INPUT', EXTERNAL_SERVICES_CHAIN),
  createNewConnectionJumpRule('FORWARD', PROXY_FIREWALL_CHAIN),
  createJumpRule('FORWARD', FORWARD_CHAIN),
  createNewConnectionJumpRule('FORWARD', SERVICES_CHAIN),
  createNewConnectionJumpRule('FORWARD', EXTERNAL_SERVICES_CHAIN),
  createJumpRule('OUTPUT', LOCALNET_FIREWALL_CHAIN),
  createNewConnectionJumpRule('OUTPUT', PROXY_FIREWALL_CHAIN),
  createNewConnectionJumpRule('OUTPUT', SERVICES_CHAIN),
]

export const NAT_JUMPS: readonly Rule[] = [
  createJumpRule('PREROUTING', SERVICES_CHAIN),
  createJumpRule('OUTPUT', SERVICES_CHAIN),
  createJumpRule('POSTROUTING', POSTROUTING_CHAIN),
]

export function createNewConnectionJumpRule(from: string, to: string): Rule {
  return { chain: from, matches: [NEW_CONNECTION, ...commentOf(to)], target: { kind: 'jump', chain: to } }
}

export function createJumpRule(from: string, to: string): Rule {
  return { chain: from, matches: commentOf(to), target: { kind: 'jump', chain: to } }
}

function commentOf(chain: string): Rule['matches'] {
  const text = COMMENTS.get(chain)
  return text === undefined ? [] : [createCommentMatch(text)]
}
