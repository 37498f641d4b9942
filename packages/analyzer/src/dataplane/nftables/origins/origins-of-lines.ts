import { findResourceOwners } from '@kube-rules/compiler/internal/dataplane/nftables/claims'
import type { NftablesState } from '@kube-rules/compiler/internal/dataplane/nftables/state'
import type { SubsystemFormatOptions } from '@kube-rules/compiler/internal/dataplane/tool-options'
import { memoize } from '@kube-rules/compiler/internal/internal/memo'
import type { LineOrigin } from '../../netfilter/line-origin.js'
import { createCommandOriginFinder } from './command-origins.js'
import { createListingOriginFinder } from './listing-origins.js'

/** Returns the origin of each printed line: a table, one of its chains or rules, a set or elements of it. */
export function originsOfLines(
  lines: readonly string[],
  state: NftablesState,
  { format }: SubsystemFormatOptions,
): readonly LineOrigin[] {
  const owners = memoize(state, findResourceOwners)
  const findOrigin = format === 'save' ? createListingOriginFinder(state) : createCommandOriginFinder(state)
  return lines.map((line) => {
    const { places, ...origin } = findOrigin(line)
    const [owner = '', ...others] = new Set(places.map((place) => owners.get(place) ?? ''))
    return { ...origin, owner: others.length === 0 ? owner : '' }
  })
}
