import { TABLE_NAMES } from '@kube-rules/compiler/internal/dataplane/iptables/built-in-chains'
import type { CoverageQueries } from '@kube-rules/compiler/internal/dataplane/netfilter/coverage'
import type { NodeState, StateOf, Subsystem } from '@kube-rules/compiler/internal/dataplane/node-state'

interface AllReadSet<State> {
  /** Absent: nobody asks for all of it. */
  isAllReadSet?(state: State | undefined, known: CoverageQueries): boolean
}

const ALL_READ_SET: { readonly [S in Subsystem]: AllReadSet<StateOf<S>> } = {
  nftables: { isAllReadSet: (_state, known) => known.isComplete('nftables') },
  ipset: {},
  ipvs: {},
  addresses: {},
  iptables: {
    isAllReadSet: (state, known) =>
      TABLE_NAMES.every(
        (name) => known.isComplete('iptables', name) || state?.tables.some((table) => table.name === name),
      ),
  },
}

/**
 * Whether whoever has this much of a subsystem has asked the tool that would print all of it, so that there is nothing of
 * it beside the chains, sets and servers that are there or named.
 */
export function isInReadSet(name: Subsystem, state: NodeState, known: CoverageQueries): boolean {
  const { isAllReadSet }: AllReadSet<unknown> = ALL_READ_SET[name]
  return isAllReadSet?.(state[name], known) === true
}

/** Whether there is a tool that prints all of a subsystem, so that nobody asks for parts of it. */
export function canBeInReadSet(name: Subsystem): boolean {
  return ALL_READ_SET[name].isAllReadSet !== undefined
}
