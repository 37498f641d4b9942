import type { Rule } from '../../dataplane/iptables/ast.js'
import { createCommentMatch, TO_LOCAL_MATCH } from '../shared/match.js'
import {
  NODE_PORT_CONTAINER_CHAIN,
  NODE_PORT_HOST_CHAIN,
  NODE_PORT_NON_LOCAL_CHAIN,
  PORTALS_CONTAINER_CHAIN,
  PORTALS_HOST_CHAIN,
} from './chain-names.js'

const PORTALS = createCommentMatch('handle ClusterIPs; NOTE: this must be before the NodePort rules')
const NODE_PORTS = createCommentMatch('handle service NodePorts; NOTE: this must be the last rule in the chain')
const NON_LOCAL = createCommentMatch('Ensure that non-local NodePort traffic can flow')

/** A jump for incoming packets, and one for locally generated packets. */
interface JumpsOfBoth {
  readonly incoming: Rule
  readonly local: Rule
}

export const PORTAL_JUMPS: JumpsOfBoth = {
  incoming: portalsJump('PREROUTING', PORTALS_CONTAINER_CHAIN),
  local: portalsJump('OUTPUT', PORTALS_HOST_CHAIN),
}
export const NODE_PORT_JUMPS: JumpsOfBoth = {
  incoming: nodePortsJump('PREROUTING', NODE_PORT_CONTAINER_CHAIN),
  local: nodePortsJump('OUTPUT', NODE_PORT_HOST_CHAIN),
}

/**
 * The jumps of the nat table in the order of its built-in chains. Jumps to portal chains (for Service addresses) are
 * inserted at the start of a chain, and jumps to node-port chains are appended at the end. Therefore, Service addresses
 * have precedence. Mirrors `iptablesInit` of the userspace proxier of kube-proxy v1.20.
 */
export const NAT_JUMPS: readonly Rule[] = [
  PORTAL_JUMPS.incoming,
  NODE_PORT_JUMPS.incoming,
  PORTAL_JUMPS.local,
  NODE_PORT_JUMPS.local,
]

export const FILTER_JUMPS: readonly Rule[] = [
  { chain: 'INPUT', matches: [NON_LOCAL], target: { kind: 'jump', chain: NODE_PORT_NON_LOCAL_CHAIN } },
]

function portalsJump(from: string, to: string): Rule {
  return { chain: from, matches: [PORTALS], target: { kind: 'jump', chain: to } }
}

function nodePortsJump(from: string, to: string): Rule {
  return { chain: from, matches: [TO_LOCAL_MATCH, NODE_PORTS], target: { kind: 'jump', chain: to }, appended: true }
}
