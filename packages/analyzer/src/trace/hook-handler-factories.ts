import { boundAddressesOf } from '@kube-rules/compiler/internal/dataplane/addresses/claims'
import { findServerOwners } from '@kube-rules/compiler/internal/dataplane/ipvs/claims'
import type { EvaluationContext } from '@kube-rules/compiler/internal/dataplane/netfilter/evaluation-context'
import { findResourceOwners } from '@kube-rules/compiler/internal/dataplane/nftables/claims'
import type { StateOf, Subsystem } from '@kube-rules/compiler/internal/dataplane/node-state'
import { createLazyGetter, memoize } from '@kube-rules/compiler/internal/internal/memo'
import { createSetLookup } from '../dataplane/ipset/evaluate.js'
import { createIptablesHookHandlers } from '../dataplane/iptables/evaluate/evaluate.js'
import { createIpvsHookHandlers } from '../dataplane/ipvs/evaluate.js'
import type { HookHandler } from '../dataplane/netfilter/path-state.js'
import { createNftablesHookHandlers } from '../dataplane/nftables/evaluate/evaluate.js'

/** Creates the hook handlers of a subsystem. */
export interface HookHandlerFactory<State> {
  /**
   * Returns the hook handlers. Absent if the subsystem has no hooks of its own: packets reach it only through rules of
   * another subsystem.
   */
  createHandlers?(state: State, facts: EvaluationContext): readonly HookHandler[]
  /** Returns facts that the rules of other subsystems use. Absent if other subsystems use no facts from this subsystem. */
  knownFacts?(state: State): Partial<EvaluationContext>
  /**
   * Whether packets reach the subsystem only if their destination address is bound to the node, like packets to IPVS
   * virtual servers. If absent, packets to any address reach it.
   */
  readonly needsAddresses?: boolean | undefined
}

export const HOOK_HANDLER_FACTORIES: { readonly [S in Subsystem]: HookHandlerFactory<StateOf<S>> } = {
  nftables: {
    createHandlers: (state, facts) =>
      createNftablesHookHandlers(
        state,
        facts,
        createLazyGetter(() => memoize(state, findResourceOwners)),
      ),
  },
  ipset: { knownFacts: (state) => ({ inSet: createSetLookup(state) }) },
  ipvs: {
    createHandlers: (state, facts) =>
      createIpvsHookHandlers(
        state,
        facts,
        createLazyGetter(() => memoize(state, findServerOwners)),
      ),
    needsAddresses: true,
  },
  addresses: {
    knownFacts: (state) => {
      const bound = memoize(state, boundAddressesOf)
      return { isLocal: (address) => (bound.has(address) ? 'yes' : 'unknown') }
    },
  },
  iptables: {
    createHandlers: createIptablesHookHandlers,
  },
}
