import { IPVS_DEVICE } from '@kube-rules/types'
import type { IpsetState } from '../../dataplane/ipset/ast.js'
import { destroyLine } from '../../dataplane/ipset/print.js'
import type { ToolCommand } from '../../dataplane/netfilter/tool-command.js'
import type { NodeState } from '../../dataplane/node-state.js'
import { MARK_MASQ_CHAIN } from '../shared/mark.js'
import { chainRemovals, jumpRemoval } from '../shared/remove-chains.js'
import { FILTER_CHAINS } from './filter-rules.js'
import { FILTER_JUMPS, NAT_JUMPS } from './jumps.js'
import { NAT_CHAINS } from './nat-rules.js'
import { SET_NAMES } from './sets.js'

const FLUSH_SERVERS: ToolCommand = { tool: 'ipvsadm', args: ['-C'], input: '', purpose: 'remove all virtual servers' }

const DELETE_DEVICE: ToolCommand = {
  tool: 'ip',
  args: ['link', 'delete', IPVS_DEVICE],
  input: '',
  purpose: 'remove the device of the addresses',
  allowFailure: true,
}

/**
 * Returns the commands that kube-proxy runs to clean up ipvs mode. It removes all virtual servers, including foreign
 * ones, `kube-ipvs0` with its addresses, each jump from a built-in chain, and the existing chains except
 * KUBE-MARK-MASQ. Finally it removes the sets, which no rule uses any more. The sets of IPv6 remain, because kube-proxy
 * only destroys those with IPv4 names. Mirrors `CleanupLeftovers` of the ipvs proxier of kube-proxy v1.30.
 */
export function cleanUp({ ipset, ipvs, addresses, iptables }: NodeState): readonly ToolCommand[] {
  return [
    ...(ipvs === undefined ? [] : [FLUSH_SERVERS]),
    ...(addresses === undefined ? [] : [DELETE_DEVICE]),
    ...(iptables === undefined
      ? []
      : [
          ...FILTER_JUMPS.map((jump) => jumpRemoval(jump, 'filter', iptables)),
          ...NAT_JUMPS.map((jump) => jumpRemoval(jump, 'nat', iptables)),
          ...chainRemovals(iptables, 'nat', () => [...NAT_CHAINS].filter((chain) => chain !== MARK_MASQ_CHAIN)),
          ...chainRemovals(iptables, 'filter', () => [...FILTER_CHAINS]),
        ]),
    ...(ipset === undefined ? [] : setRemovals(ipset)),
  ]
}

function setRemovals({ sets }: IpsetState): readonly ToolCommand[] {
  const held = SET_NAMES.flatMap((name) => sets.find((set) => set.name === name) ?? [])
  if (held.length === 0) return []
  const input = held.map((set) => `${destroyLine(set)}\n`).join('')
  return [{ tool: 'ipset', args: ['restore', '-exist'], input, purpose: 'remove the sets' }]
}
