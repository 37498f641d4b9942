import type { Rule } from '../../dataplane/iptables/ast.js'
import type { ToolCommand } from '../../dataplane/netfilter/tool-command.js'
import type { NodeState } from '../../dataplane/node-state.js'
import type { Features } from '../../model/configuration/features.js'
import { isServicePortChain, isServicePortChainOfAnyVersion, isSharedWithKubelet } from '../shared/kube-chains.js'
import { FORWARD_CHAIN, POSTROUTING_CHAIN } from '../shared/mark.js'
import { createChainRemovalCommands, createJumpRemovalCommand } from '../shared/remove-chains.js'
import { EXTERNAL_SERVICES_CHAIN, NODE_PORTS_CHAIN, PROXY_FIREWALL_CHAIN, SERVICES_CHAIN } from './chain-names.js'
import { NAT_JUMPS } from './jumps.js'
import { hasFilterChain, LEGACY_INPUT_JUMP, listFilterTableJumps } from './legacy-jumps.js'

/**
 * Returns the commands that kube-proxy runs to clean up iptables mode. First, each jump from a built-in chain is
 * removed. Then the existing chains of nat and filter are flushed and removed, with one `iptables-restore` input per
 * table. The static chains come first, followed by the chains of service ports in code-unit order. KUBE-MARK-MASQ, and
 * jumps to chains that the kubelet shares, are preserved. Mirrors `CleanupLeftovers` of the iptables proxier of
 * kube-proxy v1.30.
 */
export function cleanUpIptables({ iptables }: NodeState, features: Features): readonly ToolCommand[] {
  if (iptables === undefined) return []
  const filter = [SERVICES_CHAIN, EXTERNAL_SERVICES_CHAIN, FORWARD_CHAIN, NODE_PORTS_CHAIN]
  const proxyFirewall = features.cleanupRemovesProxyFirewall ? [PROXY_FIREWALL_CHAIN] : []
  return [
    ...listRemovedFilterTableJumps(features)
      .filter(isOwnJump)
      .map((jump) => createJumpRemovalCommand(jump, 'filter', iptables)),
    ...NAT_JUMPS.map((jump) => createJumpRemovalCommand(jump, 'nat', iptables)),
    ...createChainRemovalCommands(iptables, 'nat', (chains) => [
      ...[SERVICES_CHAIN, NODE_PORTS_CHAIN, POSTROUTING_CHAIN],
      ...chains.filter((chain) => isServicePortChainOfVersion(chain, features)).sort(),
    ]),
    ...createChainRemovalCommands(iptables, 'filter', () =>
      [...filter, ...proxyFirewall].filter((chain) => hasFilterChain(chain, features)),
    ),
  ]
}

function isOwnJump({ target }: Rule): boolean {
  return target?.kind === 'jump' && !isSharedWithKubelet(target.chain)
}

/**
 * Returns the jumps of the filter table that the cleanup of a version removes: the jumps of the version itself and, in
 * some versions, one jump of older versions.
 */
function listRemovedFilterTableJumps(features: Features): readonly Rule[] {
  const jumps = listFilterTableJumps(features)
  return features.cleanupRemovesInputJump ? [...jumps, LEGACY_INPUT_JUMP] : jumps
}

/** Reports whether the cleanup of a version recognizes a chain as a chain of a service port. */
function isServicePortChainOfVersion(chain: string, { xlbChains, cleanupRemovesXlb }: Features): boolean {
  if (xlbChains && /^KUBE-(?:SVL|EXT)-/.test(chain)) return false
  return cleanupRemovesXlb ? isServicePortChainOfAnyVersion(chain) : isServicePortChain(chain)
}
