import type { Assumption } from '@kube-rules/compiler/internal/dataplane/netfilter/path-state'

/**
 * Returns a distinct condition for rules that a packet reaches again, because the packet, or a counter, may have
 * changed.
 */
export function toDistinctCondition(what: string, assumptions: readonly Assumption[]): string {
  return assumptions.some(({ condition }) => condition === what)
    ? toDistinctCondition(`${what} again`, assumptions)
    : what
}
