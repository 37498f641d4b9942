import type { IpFamily } from '@kube-rules/types'
import { deletionArguments } from './dataplane/conntrack/print.js'
import type { ScriptOptions } from './dataplane/language.js'
import type { Run } from './dataplane/netfilter/run.js'
import { scriptChanges } from './dataplane/script-changes.js'
import type { ResultPatch } from './diff.js'
import type { StaleConnection } from './plan/stale-connections.js'
import { conntrackFilter } from './targets/shared/conntrack-filter.js'

export interface ScriptPatchOptions extends Pick<ScriptOptions, 'terminating' | 'waiting'> {
  /** Which iptables the node has. Default `nft`. */
  readonly backend?: ScriptOptions['backend'] | undefined
  /**
   * The patch starts from nothing, but the machine may hold older rules of ours: chains are written anew, jumps from
   * built-in chains are put in only where they are missing. Chains that nothing leads to any more may stay behind.
   */
  readonly ensure?: boolean | undefined
}

/**
 * The runs of tools that carry a patch out, in an order in which no jump dangles and every service that the patch does
 * not touch is served all the time. A run that fails leaves the node between two of them: do not go on, and apply
 * the next result from nothing with `ensure`.
 */
export function script({ families }: ResultPatch, options: ScriptPatchOptions = {}): readonly Run[] {
  const { backend = 'nft', ensure, terminating, waiting } = options
  const common = { backend, ensure, terminating, waiting }
  return [
    ...families.flatMap(({ family, patch, excludeCidrs }) =>
      scriptChanges(patch.changes, { family, excludeCidrs, ...common }),
    ),
    ...families.flatMap((each) => each.staleConnections.map((stale) => forgettingRun(stale, each.family))),
  ]
}

/** conntrack also fails where no connection fits. */
function forgettingRun(stale: StaleConnection, family: IpFamily): Run {
  const args = deletionArguments(conntrackFilter(stale, family))
  return { tool: 'conntrack', args, input: '', purpose: 'forget connections that are stale', mayFail: true }
}
