import { TABLE_NAMES } from '@kube-rules/compiler/internal/dataplane/iptables/built-in-chains'
import type { CoverageQueries } from '@kube-rules/compiler/internal/dataplane/netfilter/coverage'
import type { NodeState, StateOf, Subsystem } from '@kube-rules/compiler/internal/dataplane/node-state'

interface FullDumpCheck<State> {
  /**
   * Reports whether the dump contains the output of the tool that prints the whole subsystem. Absent if no tool prints
   * the whole subsystem.
   */
  isFullyDumped?(state: State | undefined, known: CoverageQueries): boolean
}

const FULL_DUMP_CHECKS: { readonly [S in Subsystem]: FullDumpCheck<StateOf<S>> } = {
  nftables: { isFullyDumped: (_state, known) => known.isComplete('nftables') },
  ipset: {},
  ipvs: {},
  addresses: {},
  iptables: {
    isFullyDumped: (state, known) =>
      TABLE_NAMES.every(
        (name) => known.isComplete('iptables', name) || state?.tables.some((table) => table.name === name),
      ),
  },
}

/**
 * Reports whether the dump contains the output of the tool that prints the whole subsystem. If the result is true,
 * chains, sets and servers that the dump does not mention do not exist.
 */
export function isFullyDumped(name: Subsystem, state: NodeState, known: CoverageQueries): boolean {
  const { isFullyDumped }: FullDumpCheck<unknown> = FULL_DUMP_CHECKS[name]
  return isFullyDumped?.(state[name], known) === true
}

/** Reports whether a tool prints the whole subsystem, so that partial dumps are unusual. */
export function canBeFullyDumped(name: Subsystem): boolean {
  return FULL_DUMP_CHECKS[name].isFullyDumped !== undefined
}
