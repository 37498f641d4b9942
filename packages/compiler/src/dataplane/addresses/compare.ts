import { createLazyGetter } from '../../internal/memo.js'
import { indexResourcesById, type Resource, type Resources } from '../../patch/resource.js'
import { compareResources } from '../compare-resources.js'
import type { ResourceOwnership, StateComparison } from '../comparison.js'
import type { DriftPart } from '../drift-part.js'
import type { AddressState } from './ast.js'
import { findAddressOwners } from './claims.js'
import { formatHostPrefix } from './print.js'
import { createAddressResource, DEVICE_RESOURCE, parseAddressId } from './resources.js'

/**
 * Compares the addresses of kube-ipvs0. Each drift item is about one address. The existence of the device is not
 * compared, because a dump does not show whether an empty device exists. However, if addresses are expected and a
 * complete dump has no addresses, `pairs` also contains the missing device, so that a repair creates the device.
 */
export function compareAddresses(
  expected: AddressState,
  actual: AddressState,
  ownership: ResourceOwnership<AddressState, Resource>,
): StateComparison {
  const sides = { expected: onDevice(expected), actual: onDevice(actual) }
  const owners = createLazyGetter(() => findAddressOwners(expected))
  const comparison = compareResources(sides, ownership, { owners, textOf, partOf, ownValue: ({ value }) => value })
  if (!ownership.isComplete || sides.actual.size > 0 || sides.expected.size === 0) return comparison
  return { ...comparison, pairs: [{ before: undefined, after: DEVICE_RESOURCE }, ...comparison.pairs] }
}

function onDevice({ addresses }: AddressState): Resources {
  return indexResourcesById(addresses.map(createAddressResource))
}

function textOf({ id }: Resource): string {
  return formatHostPrefix(parseAddressId(id) ?? '')
}

function partOf({ id }: Resource): DriftPart {
  return { kind: 'address', address: parseAddressId(id) ?? '' }
}
