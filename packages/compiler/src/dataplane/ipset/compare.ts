import { lazily } from '../../internal/memo.js'
import type { Resource } from '../../patch/resource.js'
import { compareResources } from '../compare-resources.js'
import type { ResourceOwnership, StateComparison } from '../comparison.js'
import type { IpsetState } from './ast.js'
import { canonicalize } from './canonical.js'
import { entryOwners } from './claims.js'
import { addLine, createLine } from './print.js'
import { isEntry, resourcesOf, setDefinition } from './resources.js'

/** Compares sets and their entries, regardless of order. Each drift item is about a set or an entry. */
export function compareIpset(
  expected: IpsetState,
  live: IpsetState,
  ownership: ResourceOwnership<IpsetState, Resource>,
): StateComparison {
  const sides = { expected: resourcesOf(canonicalize(expected)), live: resourcesOf(canonicalize(live)) }
  const owners = lazily(() => entryOwners(expected))
  return compareResources(sides, ownership, { owners, textOf, ownValue })
}

function textOf(resource: Resource): string {
  return isEntry(resource) ? addLine(resource.value.set, resource.value.entry) : createLine(setDefinition(resource))
}

function ownValue(resource: Resource): unknown {
  return isEntry(resource) ? resource.value.entry : resource.value
}
