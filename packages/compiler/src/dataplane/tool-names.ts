import { IPVS_DEVICE } from '@kube-rules/types/internal/ipvs-device'
import type { Subsystem } from './node-state.js'

interface ToolNames {
  /** The command that prints the state of the subsystem, for messages: `ipset save`. */
  readonly printedBy: string
  /** The contents of a state, as a noun for messages: `sets`. */
  readonly contents: string
  /** Whether the tools of the subsystem print one family at a time. */
  readonly byFamily: boolean
}

/** The names of subsystems and their tools for users. */
export const TOOL_NAMES: { readonly [S in Subsystem]: ToolNames } = {
  nftables: { printedBy: 'nft list ruleset', contents: 'tables', byFamily: false },
  ipset: { printedBy: 'ipset save', contents: 'sets', byFamily: false },
  ipvs: { printedBy: 'ipvsadm -Sn', contents: 'virtual servers', byFamily: false },
  addresses: { printedBy: `ip -o address show dev ${IPVS_DEVICE}`, contents: 'addresses', byFamily: false },
  iptables: { printedBy: 'iptables-save', contents: 'tables', byFamily: true },
}

/**
 * Reports whether the tools of a subsystem print one family at a time. If true, a state of the subsystem in a dump
 * proves that its family was dumped.
 */
export function isDumpedByFamily(name: Subsystem): boolean {
  return TOOL_NAMES[name].byFamily
}
