import type { IpFamily } from '@kube-rules/types'
import type { AddressState } from './addresses/ast.js'
import type { IpsetState } from './ipset/ast.js'
import type { IptablesState } from './iptables/ast.js'
import type { IpvsState } from './ipvs/ast.js'
import type { Coverage } from './netfilter/coverage.js'
import type { NftablesState } from './nftables/state.js'

/**
 * Every kernel subsystem there is, in the order in which they are applied: rules refer to sets, and an address is served
 * before it is bound. What a later one leads to is withdrawn after it. Each verb has a table with an entry for each of them.
 */
export const SUBSYSTEMS = ['nftables', 'ipset', 'ipvs', 'addresses', 'iptables'] as const

export type Subsystem = (typeof SUBSYSTEMS)[number]

interface States {
  readonly nftables: NftablesState
  readonly ipset: IpsetState
  readonly ipvs: IpvsState
  readonly addresses: AddressState
  readonly iptables: IptablesState
}

/** What a node holds of a subsystem. */
export type StateOf<S extends Subsystem> = States[S]

/**
 * What a node holds of one address family, whoever says so: compiled, read from a dump, or put together of resources. A
 * subsystem that is absent is one of which nothing is known or, in what was compiled, one that the mode does not use.
 * With `coverage` it is a part of what a node holds, and that says which; without it, it is all of it.
 */
export type NodeState = { readonly family: IpFamily; readonly coverage?: Coverage | undefined } & {
  readonly [S in Subsystem]?: StateOf<S> | undefined
} & { readonly [Field in OtherField]?: never }

/**
 * One field each of the other public types that have a family: a family result, a plan, the state of one subsystem, a
 * family patch and a family report. TypeScript accepts none of them as a node state, and neither does `checkState`.
 */
type OtherField = 'plan' | 'services' | 'tables' | 'patch' | 'drift'

/**
 * What dumps say a node holds, by family. A subsystem that is absent was not dumped, or its tool had nothing to print: nobody
 * can tell which.
 */
export type Dump = Readonly<Record<IpFamily, NodeState>>

/** The subsystems of which the state has something, in the order in which they are applied. */
export function subsystemsIn(state: NodeState): readonly Subsystem[] {
  return SUBSYSTEMS.filter((name) => state[name] !== undefined)
}
