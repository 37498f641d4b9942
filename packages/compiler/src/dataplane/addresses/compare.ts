import type { Resource, Resources } from '../../diff/resource.js'
import { lazily } from '../../internal/lazily.js'
import { compareResources } from '../compare-resources.js'
import type { Comparison, Custody } from '../comparison.js'
import type { AddressState } from './ast.js'
import { addressOwners } from './claims.js'
import { hostNetwork } from './print.js'
import { addressOfId, addressResource } from './resources.js'

/** Compares the addresses of the device; that it is there is known by its having some. A finding is about one address. */
export function compareAddresses(
  wanted: AddressState,
  live: AddressState,
  custody: Custody<AddressState, Resource>,
): Comparison {
  const sides = { wanted: onDevice(wanted), live: onDevice(live) }
  const owners = lazily(() => addressOwners(wanted))
  return compareResources(sides, custody, { owners, textOf, ownValue: ({ value }) => value })
}

function onDevice({ addresses }: AddressState): Resources {
  return new Map(addresses.map(addressResource).map((resource) => [resource.id, resource]))
}

function textOf({ id }: Resource): string {
  return hostNetwork(addressOfId(id) ?? '')
}
