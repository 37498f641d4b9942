import { boundAddresses } from '@kube-rules/compiler/internal/dataplane/addresses/claims'
import { serverOwners } from '@kube-rules/compiler/internal/dataplane/ipvs/claims'
import type { Station } from '@kube-rules/compiler/internal/dataplane/netfilter/branch'
import type { Knowledge } from '@kube-rules/compiler/internal/dataplane/netfilter/knowledge'
import { tableOwners } from '@kube-rules/compiler/internal/dataplane/nftables/claims'
import type { StateOf, Subsystem } from '@kube-rules/compiler/internal/dataplane/node-state'
import { lazily, memo } from '@kube-rules/compiler/internal/internal/memo'
import { setMembership } from '../dataplane/ipset/evaluate.js'
import { iptablesStations } from '../dataplane/iptables/evaluate/evaluate.js'
import { ipvsStations } from '../dataplane/ipvs/evaluate.js'
import { nftablesStations } from '../dataplane/nftables/evaluate/evaluate.js'

/** How packets walk a subsystem. */
export interface HookHandler<State> {
  /** Who looks at packets on their way. Absent: a subsystem of which others ask. */
  stations?(state: State, knowledge: Knowledge): readonly Station[]
  /** What the state tells the rules of other subsystems. Absent: nothing. */
  knows?(state: State): Partial<Knowledge>
  /** Whether its content is reachable only through addresses that are bound to the node for it. Absent: no. */
  readonly needsAddresses?: boolean | undefined
}

export const HOOK_HANDLERS: { readonly [S in Subsystem]: HookHandler<StateOf<S>> } = {
  nftables: {
    stations: (state, knowledge) =>
      nftablesStations(
        state,
        knowledge,
        lazily(() => memo(state, tableOwners)),
      ),
  },
  ipset: { knows: (state) => ({ inSet: setMembership(state) }) },
  ipvs: {
    stations: (state, knowledge) =>
      ipvsStations(
        state,
        knowledge,
        lazily(() => memo(state, serverOwners)),
      ),
    needsAddresses: true,
  },
  addresses: {
    knows: (state) => {
      const bound = memo(state, boundAddresses)
      return { isLocal: (address) => (bound.has(address) ? 'yes' : 'unknown') }
    },
  },
  iptables: {
    stations: iptablesStations,
  },
}
