import type { IpFamily } from '@kube-rules/types'
import type { AddressState } from './addresses/ast.js'
import type { IpsetState } from './ipset/ast.js'
import type { IptablesState } from './iptables/ast.js'
import type { IpvsState } from './ipvs/ast.js'
import type { StateCoverage } from './netfilter/coverage.js'
import type { NftablesState } from './nftables/state.js'

/**
 * All kernel subsystems, in the order that changes are applied. Sets come before the rules that refer to them, and a
 * virtual server is created before its address is bound. Resources are removed in reverse order, after the resources
 * that refer to them. Functions for all subsystems use a table with one entry per subsystem.
 */
export const SUBSYSTEMS = ['nftables', 'ipset', 'ipvs', 'addresses', 'iptables'] as const

/** A part of the kernel that contains rules. */
export type Subsystem = (typeof SUBSYSTEMS)[number]

/** The states of one address family, by subsystem. */
interface States {
  /** The tables of nftables. */
  readonly nftables: NftablesState
  /** The sets that rules of ipvs mode refer to. */
  readonly ipset: IpsetState
  /** The virtual servers with their real servers. */
  readonly ipvs: IpvsState
  /** The addresses on the device `kube-ipvs0`. */
  readonly addresses: AddressState
  /** The tables of iptables or ip6tables. */
  readonly iptables: IptablesState
}

/** The state of one subsystem on a node. */
export type StateOf<S extends Subsystem> = States[S]

/**
 * The state of one address family on a node: compiled, parsed from a dump, or assembled from resources. An absent
 * subsystem is unknown or, in a compiled state, not used by the mode. A state with `coverage` is partial. A state
 * without `coverage` is complete.
 */
export type NodeState = { readonly family: IpFamily; readonly coverage?: StateCoverage | undefined } & {
  readonly [S in Subsystem]?: StateOf<S> | undefined
} & { readonly [Field in OtherField]?: never }

/**
 * The fields that distinguish other public types with a `family` from node states: family results, plans, states of one
 * subsystem, family patches and family reports. TypeScript and `checkState` reject a value that has such a field as a
 * node state.
 */
type OtherField = 'plan' | 'services' | 'tables' | 'patch' | 'drift'

/**
 * The states in the dumps of a node, by family. If a subsystem is absent, it was not dumped, or its tool printed
 * nothing. The two cases cannot be distinguished.
 */
export type Dump = Readonly<Record<IpFamily, NodeState>>

/** Returns the subsystems that the state contains, in the order that changes are applied. */
export function presentSubsystemsOf(state: NodeState): readonly Subsystem[] {
  return SUBSYSTEMS.filter((name) => state[name] !== undefined)
}
