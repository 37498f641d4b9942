import type { Resource } from '../../diff/resource.js'
import { compareResources } from '../compare-resources.js'
import type { Comparison, Custody } from '../comparison.js'
import type { AddressState } from './ast.js'
import { hostNetwork } from './print.js'
import { addressOfId, resourcesOf } from './resources.js'

/** Compares addresses. The device is taken for granted: where there are addresses to compare, there is one. */
export function compareAddresses(
  wanted: AddressState,
  live: AddressState,
  custody: Custody<AddressState, Resource>,
): Comparison {
  const sides = { wanted: resourcesOf(wanted), live: resourcesOf(live) }
  return compareResources(sides, custody, { textOf, ownValue: ({ value }) => value })
}

function textOf({ id }: Resource): string {
  return hostNetwork(addressOfId(id) ?? '')
}
