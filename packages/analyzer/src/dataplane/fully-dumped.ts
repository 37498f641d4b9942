import { TABLE_NAMES } from '@kube-rules/compiler/internal/dataplane/iptables/built-in-chains'
import type { CoverageQueries } from '@kube-rules/compiler/internal/dataplane/netfilter/coverage'
import type { NodeState, StateOf, Subsystem } from '@kube-rules/compiler/internal/dataplane/node-state'

interface AllReadSet<State> {
  /** Reports whether the dump contains the output of the tool that prints all of it. Absent: there is no such tool. */
  isAllReadSet?(state: State | undefined, known: CoverageQueries): boolean
}

const FULL_READ_SET_CHECKS: { readonly [S in Subsystem]: AllReadSet<StateOf<S>> } = {
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
 * Reports whether the dump contains the output of the tool that prints all of a subsystem. Chains, sets and servers
 * that are neither in the dump nor mentioned there do not exist then.
 */
export function isFullyDumped(name: Subsystem, state: NodeState, known: CoverageQueries): boolean {
  const { isAllReadSet }: AllReadSet<unknown> = FULL_READ_SET_CHECKS[name]
  return isAllReadSet?.(state[name], known) === true
}

/** Reports whether some tool prints all of a subsystem, so that dumps of parts are unusual. */
export function canBeFullyDumped(name: Subsystem): boolean {
  return FULL_READ_SET_CHECKS[name].isAllReadSet !== undefined
}
