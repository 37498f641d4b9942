import { TABLE_NAMES } from '@kube-rules/compiler/internal/dataplane/iptables/built-in-chains'
import type { Known } from '@kube-rules/compiler/internal/dataplane/netfilter/fragment'
import type { NodeState, StateOf, Subsystem } from '@kube-rules/compiler/internal/dataplane/node-state'

interface AllAsked<State> {
  /** Absent: nobody asks for all of it. */
  isAllAsked?(state: State | undefined, known: Known): boolean
}

const ALL_ASKED: { readonly [S in Subsystem]: AllAsked<StateOf<S>> } = {
  nftables: { isAllAsked: (_state, known) => known.isWhole('nftables') },
  ipset: {},
  ipvs: {},
  addresses: {},
  iptables: {
    isAllAsked: (state, known) =>
      TABLE_NAMES.every(
        (name) => known.isWhole('iptables', name) || state?.tables.some((table) => table.name === name),
      ),
  },
}

/**
 * Whether whoever has this much of a subsystem has asked the tool that would print all of it, so that there is nothing of
 * it beside the chains, sets and servers that are there or named.
 */
export function isAskedFor(name: Subsystem, state: NodeState, known: Known): boolean {
  const { isAllAsked }: AllAsked<unknown> = ALL_ASKED[name]
  return isAllAsked?.(state[name], known) === true
}

/** Whether there is a tool that prints all of a subsystem, so that nobody asks for parts of it. */
export function canBeAsked(name: Subsystem): boolean {
  return ALL_ASKED[name].isAllAsked !== undefined
}
