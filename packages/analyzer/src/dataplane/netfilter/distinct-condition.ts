import type { Assumption } from '@kube-rules/compiler/internal/dataplane/netfilter/path-state'

/**
 * Returns a condition text that differs from those of the assumptions so far, by appending `again` if necessary. A rule
 * that a packet reaches a second time needs its own condition, because the packet or a counter may have changed.
 */
export function toDistinctCondition(what: string, assumptions: readonly Assumption[]): string {
  return assumptions.some(({ condition }) => condition === what)
    ? toDistinctCondition(`${what} again`, assumptions)
    : what
}
