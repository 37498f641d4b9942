import { lazily } from '../../internal/memo.js'
import type { Resource } from '../../patch/resource.js'
import { compareResources } from '../compare-resources.js'
import type { ResourceOwnership, StateComparison } from '../comparison.js'
import type { IpvsState } from './ast.js'
import { canonicalize } from './canonical.js'
import { serverOwners } from './claims.js'
import { realServerLine, virtualServerLine } from './print.js'
import { placeOfId, realServerValue, resourcesOf, virtualServerDefinition } from './resources.js'

/**
 * Compares virtual servers and their real servers; unknown lines are ignored. Each drift item is about one virtual or
 * real server.
 */
export function compareIpvs(
  expected: IpvsState,
  live: IpvsState,
  ownership: ResourceOwnership<IpvsState, Resource>,
): StateComparison {
  const sides = { expected: resourcesOf(canonicalize(expected)), live: resourcesOf(canonicalize(live)) }
  const owners = lazily(() => serverOwners(expected))
  return compareResources(sides, ownership, { owners, textOf, ownValue: ({ value }) => value })
}

function textOf(resource: Resource): string {
  const { virtualServer, realServer } = placeOfId(resource.id)
  if (realServer === undefined) return virtualServerLine('-A', virtualServerDefinition(resource))
  return realServerLine('-a', virtualServer, { ...realServer, ...realServerValue(resource) })
}
