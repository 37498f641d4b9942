import type { IpsetState } from '@kube-rules/compiler/internal/dataplane/ipset/ast'
import { findEntryOwners } from '@kube-rules/compiler/internal/dataplane/ipset/claims'
import { formatIpsetId } from '@kube-rules/compiler/internal/dataplane/netfilter/format-ipset-id'
import { memoize } from '@kube-rules/compiler/internal/internal/memo'
import { type LineOrigin, NO_ORIGIN } from '../netfilter/line-origin.js'

/** Returns the origin of each printed line: a set, or an entry of a set. */
export function findLineOrigins(lines: readonly string[], state: IpsetState): readonly LineOrigin[] {
  const owners = memoize(state, findEntryOwners)
  return lines.map((line) => {
    const [, verb, set, entry] = /^(create|add) (\S+) (\S+)/.exec(line) ?? []
    if (set === undefined) return NO_ORIGIN
    const location = verb === 'create' ? formatIpsetId(set) : `${formatIpsetId(set)} ${entry}`
    return { owner: owners.get(location) ?? '', location }
  })
}
