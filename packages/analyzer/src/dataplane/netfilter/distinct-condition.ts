import type { Assumption } from '@kube-rules/compiler/internal/dataplane/netfilter/path-state'

/**
 * Returns a condition that differs from the assumptions so far. A rule that a packet reaches again needs its own
 * condition, because the packet or a counter may have changed.
 */
export function toDistinctCondition(what: string, assumptions: readonly Assumption[]): string {
  return assumptions.some(({ condition }) => condition === what)
    ? toDistinctCondition(`${what} again`, assumptions)
    : what
}
