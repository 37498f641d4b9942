import { boundAddressesOf } from '@kube-rules/compiler/internal/dataplane/addresses/claims'
import { findServerOwners } from '@kube-rules/compiler/internal/dataplane/ipvs/claims'
import type { StateOf, Subsystem } from '@kube-rules/compiler/internal/dataplane/node-state'
import { createLazyGetter, memoize } from '@kube-rules/compiler/internal/internal/memo'
import { lowerIptables } from '../dataplane/iptables/program/lower-iptables.js'
import { lowerIpvs } from '../dataplane/ipvs/lower-ipvs.js'
import { lowerNftables } from '../dataplane/nftables/program/lower-nftables.js'
import type { BaseChain } from '../program/program.js'
import type { StateContext } from '../program/state-context.js'
import { findTableOwners } from '../targets/nftables/find-table-owners.js'

/** Lowers the state of a subsystem to a program. */
export interface Lowering<State> {
  /** Returns the base chains. Absent if packets reach the subsystem only through rules of another subsystem. */
  lower?(state: State, context: StateContext): readonly BaseChain[]
  /** Returns the addresses that the subsystem binds to the node. Absent if it binds none. */
  boundAddresses?(state: State): ReadonlySet<string>
  /**
   * Whether packets reach the subsystem only if their destination address is bound to the node, like packets to IPVS
   * virtual servers. If absent, packets to any address reach it.
   */
  readonly needsAddresses?: boolean | undefined
}

export const LOWERINGS: { readonly [S in Subsystem]: Lowering<StateOf<S>> } = {
  nftables: {
    lower: (state, context) =>
      lowerNftables(
        state,
        context,
        createLazyGetter(() => memoize(state, findTableOwners)),
      ),
  },
  ipset: {},
  ipvs: {
    lower: (state, { coverage }) =>
      lowerIpvs(
        state,
        coverage,
        createLazyGetter(() => memoize(state, findServerOwners)),
      ),
    needsAddresses: true,
  },
  addresses: { boundAddresses: (state) => memoize(state, boundAddressesOf) },
  iptables: { lower: lowerIptables },
}
