import { createLazyGetter } from '../../internal/memo.js'
import type { Resource } from '../../patch/resource.js'
import { compareResources } from '../compare-resources.js'
import type { ResourceOwnership, StateComparison } from '../comparison.js'
import type { DriftPart } from '../drift-part.js'
import type { IpsetState } from './ast.js'
import { canonicalize } from './canonical.js'
import { findEntryOwners } from './claims.js'
import { formatEntry } from './entries.js'
import { formatAddLine, formatCreateLine } from './print.js'
import { ipsetDefinitionOfResource, isEntryResource, resourcesOf } from './resources.js'

/** Compares sets and their entries, regardless of order. Each drift item is about a set or an entry. */
export function compareIpset(
  expected: IpsetState,
  actual: IpsetState,
  ownership: ResourceOwnership<IpsetState, Resource>,
): StateComparison {
  const sides = { expected: resourcesOf(canonicalize(expected)), actual: resourcesOf(canonicalize(actual)) }
  const owners = createLazyGetter(() => findEntryOwners(expected))
  return compareResources(sides, ownership, { owners, textOf, partOf, ownValue })
}

function textOf(resource: Resource): string {
  return isEntryResource(resource)
    ? formatAddLine(resource.value.set, resource.value.entry)
    : formatCreateLine(ipsetDefinitionOfResource(resource))
}

function partOf(resource: Resource): DriftPart {
  if (!isEntryResource(resource)) return { kind: 'set', set: ipsetDefinitionOfResource(resource).name }
  const { set, entry } = resource.value
  return { kind: 'element', set: set.name, key: formatEntry(entry).split(',') }
}

function ownValue(resource: Resource): unknown {
  return isEntryResource(resource) ? resource.value.entry : resource.value
}
