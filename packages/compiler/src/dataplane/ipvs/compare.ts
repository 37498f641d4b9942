import { createLazyGetter } from '../../internal/memo.js'
import type { Resource } from '../../patch/resource.js'
import { compareResources } from '../compare-resources.js'
import type { DriftedItems, ResourceOwnership, StateComparison } from '../comparison.js'
import type { DriftPart } from '../drift-part.js'
import type { IpvsState } from './ast.js'
import { canonicalize } from './canonical.js'
import { findServerOwners } from './claims.js'
import { formatRealServer } from './format-server.js'
import { formatRealServerLine, formatVirtualServerLine } from './print.js'
import { parseServerId, realServerValueOf, resourcesOf, virtualServerDefinitionOf } from './resources.js'

/**
 * Compares virtual servers and their real servers. Unknown lines are ignored. Each drift item is about one virtual
 * server or one real server.
 */
export function compareIpvs(
  expected: IpvsState,
  actual: IpvsState,
  ownership: ResourceOwnership<IpvsState, Resource>,
): StateComparison {
  const sides = { expected: resourcesOf(canonicalize(expected)), actual: resourcesOf(canonicalize(actual)) }
  const owners = createLazyGetter(() => findServerOwners(expected))
  return compareResources(sides, ownership, { owners, textOf, partOf, ownValue: ({ value }) => value })
}

function textOf(resource: Resource): string {
  const { virtualServer, realServer } = parseServerId(resource.id)
  if (realServer === undefined) return formatVirtualServerLine('-A', virtualServerDefinitionOf(resource))
  return formatRealServerLine('-a', virtualServer, { ...realServer, ...realServerValueOf(resource) })
}

function partOf({ id }: Resource, { expected, found }: DriftedItems<Resource>): DriftPart {
  const { virtualServer, realServer } = parseServerId(id)
  const server = { protocol: virtualServer.protocol, virtualServer: formatRealServer(virtualServer) }
  if (realServer === undefined) return { kind: 'virtualServer', ...server }
  return {
    kind: 'realServer',
    ...server,
    realServer: formatRealServer(realServer),
    ...(expected && { expectedWeight: realServerValueOf(expected).weight }),
    ...(found && { foundWeight: realServerValueOf(found).weight }),
  }
}
