import type { IpsetState } from '@kube-rules/compiler/internal/dataplane/ipset/ast'
import { entryOwners } from '@kube-rules/compiler/internal/dataplane/ipset/claims'
import { setId } from '@kube-rules/compiler/internal/dataplane/netfilter/set-id'
import { memo } from '@kube-rules/compiler/internal/internal/memo'
import { type LineOrigin, NO_ORIGIN } from '../netfilter/line-origin.js'

/** Returns the origin of each printed line: a set, or an entry of one. */
export function originsOfLines(lines: readonly string[], state: IpsetState): readonly LineOrigin[] {
  const owners = memo(state, entryOwners)
  return lines.map((line) => {
    const [, verb, set, entry] = /^(create|add) (\S+) (\S+)/.exec(line) ?? []
    if (set === undefined) return NO_ORIGIN
    const location = verb === 'create' ? setId(set) : `${setId(set)} ${entry}`
    return { owner: owners.get(location) ?? '', location }
  })
}
