import { lazily } from '../../internal/memo.js'
import type { Resource } from '../../patch/resource.js'
import { compareResources } from '../compare-resources.js'
import type { ResourceOwnership, StateComparison } from '../comparison.js'
import type { IpvsState, VirtualServerDefinition } from './ast.js'
import { canonicalize } from './canonical.js'
import { serverOwners } from './claims.js'
import { realServerLine, virtualServerLine } from './print.js'
import { placeOfId, type RealServerValue, resourcesOf } from './resources.js'

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

function textOf({ id, value }: Resource): string {
  const { virtualServer, realServer } = placeOfId(id)
  if (realServer === undefined) return virtualServerLine('-A', value as VirtualServerDefinition)
  return realServerLine('-a', virtualServer, { ...realServer, ...(value as RealServerValue) })
}
