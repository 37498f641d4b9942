import { lazily } from '../../internal/memo.js'
import type { Resource } from '../../patch/resource.js'
import { compareResources } from '../compare-resources.js'
import type { Comparison, Custody } from '../comparison.js'
import type { IpsetState, SetDefinition } from './ast.js'
import { canonical } from './canonical.js'
import { entryOwners } from './claims.js'
import { addLine, createLine } from './print.js'
import { isEntry, resourcesOf } from './resources.js'

/** Compares sets and their entries, regardless of order. Each drift item is about a set or an entry. */
export function compareIpset(wanted: IpsetState, live: IpsetState, custody: Custody<IpsetState, Resource>): Comparison {
  const sides = { wanted: resourcesOf(canonical(wanted)), live: resourcesOf(canonical(live)) }
  const owners = lazily(() => entryOwners(wanted))
  return compareResources(sides, custody, { owners, textOf, ownValue })
}

function textOf(resource: Resource): string {
  return isEntry(resource)
    ? addLine(resource.value.set, resource.value.entry)
    : createLine(resource.value as SetDefinition)
}

function ownValue(resource: Resource): unknown {
  return isEntry(resource) ? resource.value.entry : resource.value
}
