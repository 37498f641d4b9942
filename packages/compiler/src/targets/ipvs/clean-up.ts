import { IPVS_DEVICE } from '@kube-rules/types/internal/ipvs-device'
import type { IpsetState } from '../../dataplane/ipset/ast.js'
import { formatDestroyLine } from '../../dataplane/ipset/print.js'
import type { ToolCommand } from '../../dataplane/netfilter/tool-command.js'
import type { NodeState } from '../../dataplane/node-state.js'
import { joinLines } from '../../internal/join-lines.js'
import type { Features } from '../../model/configuration/features.js'
import { MARK_DROP_CHAIN } from '../shared/kube-chains.js'
import { MARK_MASQ_CHAIN } from '../shared/mark.js'
import { createChainRemovalCommands, createJumpRemovalCommand } from '../shared/remove-chains.js'
import { listFilterTableChains, listNatTableChains } from './chain-names.js'
import { listFilterTableJumps, NAT_JUMPS } from './jumps.js'
import { listIpsetDefinitions } from './sets.js'

const FLUSH_SERVERS: ToolCommand = { tool: 'ipvsadm', args: ['-C'], input: '', purpose: 'remove all virtual servers' }

const DELETE_DEVICE: ToolCommand = {
  tool: 'ip',
  args: ['link', 'delete', IPVS_DEVICE],
  input: '',
  purpose: 'remove the device of the Service addresses',
  allowFailure: true,
}

/**
 * Returns the commands that kube-proxy runs to clean up ipvs mode. The commands remove all virtual servers, including
 * those of other programs, `kube-ipvs0` with its addresses, and each jump from a built-in chain. They also remove the
 * existing chains, except KUBE-MARK-MASQ and KUBE-MARK-DROP. KUBE-MARK-DROP belongs to the kubelet. Finally, the
 * commands remove the sets, which no rule uses any more. The IPv6 sets remain, because kube-proxy destroys only the
 * sets with IPv4 names. Mirrors `CleanupLeftovers` of the ipvs proxier of kube-proxy v1.30.
 */
export function cleanUpIpvs(
  { ipset, ipvs, addresses, iptables }: NodeState,
  features: Features,
): readonly ToolCommand[] {
  return [
    ...(ipvs === undefined ? [] : [FLUSH_SERVERS]),
    ...(addresses === undefined ? [] : [DELETE_DEVICE]),
    ...(iptables === undefined
      ? []
      : [
          ...listFilterTableJumps(features).map((jump) => createJumpRemovalCommand(jump, 'filter', iptables)),
          ...NAT_JUMPS.map((jump) => createJumpRemovalCommand(jump, 'nat', iptables)),
          ...createChainRemovalCommands(iptables, 'nat', () => listNatTableChains(features).filter(isRemoved)),
          ...createChainRemovalCommands(iptables, 'filter', () => listFilterTableChains(features)),
        ]),
    ...(ipset === undefined ? [] : setRemovals(ipset, features)),
  ]
}

function isRemoved(chain: string): boolean {
  return chain !== MARK_MASQ_CHAIN && chain !== MARK_DROP_CHAIN
}

function setRemovals({ sets }: IpsetState, features: Features): readonly ToolCommand[] {
  const known = listIpsetDefinitions('IPv4', features)
  const existing = known.flatMap(({ name }) => sets.find((set) => set.name === name) ?? [])
  if (existing.length === 0) return []
  const input = joinLines(existing.map(formatDestroyLine))
  return [{ tool: 'ipset', args: ['restore', '-exist'], input, purpose: 'remove the sets' }]
}
