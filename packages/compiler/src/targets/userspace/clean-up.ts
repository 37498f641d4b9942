import type { ToolCommand } from '../../dataplane/netfilter/tool-command.js'
import type { NodeState } from '../../dataplane/node-state.js'
import { createChainRemovalCommands, createJumpRemovalCommand } from '../shared/remove-chains.js'
import {
  FILTER_CHAINS,
  NODE_PORT_CONTAINER_CHAIN,
  NODE_PORT_HOST_CHAIN,
  PORTALS_CONTAINER_CHAIN,
  PORTALS_HOST_CHAIN,
} from './chain-names.js'
import { FILTER_JUMPS, NODE_PORT_JUMPS, PORTAL_JUMPS } from './jumps.js'

const JUMPS = [PORTAL_JUMPS.local, PORTAL_JUMPS.incoming, NODE_PORT_JUMPS.local, NODE_PORT_JUMPS.incoming]
const CHAINS = [PORTALS_CONTAINER_CHAIN, PORTALS_HOST_CHAIN, NODE_PORT_HOST_CHAIN, NODE_PORT_CONTAINER_CHAIN]

/**
 * Returns the commands that kube-proxy runs to clean up userspace mode, in the same order. First, each jump from a
 * built-in chain is removed. Then the existing chains of nat and filter are flushed and removed, with one
 * `iptables-restore` input per table. Mirrors `CleanupLeftovers` of the userspace proxier of kube-proxy v1.20.
 */
export function cleanUpUserspace({ iptables }: NodeState): readonly ToolCommand[] {
  if (iptables === undefined) return []
  return [
    ...JUMPS.map((jump) => createJumpRemovalCommand(jump, 'nat', iptables)),
    ...FILTER_JUMPS.map((jump) => createJumpRemovalCommand(jump, 'filter', iptables)),
    ...createChainRemovalCommands(iptables, 'nat', () => CHAINS),
    ...createChainRemovalCommands(iptables, 'filter', () => FILTER_CHAINS),
  ]
}
