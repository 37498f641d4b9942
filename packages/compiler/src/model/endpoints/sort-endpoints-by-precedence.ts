import { elementAt } from '../../internal/known-items.js'
import type { Features } from '../configuration/features.js'
import { isObject } from '../reading/read-field.js'

/**
 * Sorts the parsed endpoints of one slice (`read`, one for each of `items`) by precedence for equal addresses: in slice
 * order, or sorted by all their addresses, as in `newEndpointSliceInfo` of kube-proxy v1.30. Go's sort is not stable
 * for more than twelve endpoints; this one is.
 */
export function sortEndpointsByPrecedence<Read>(
  read: readonly Read[],
  items: readonly unknown[],
  features: Features,
): readonly Read[] {
  if (features.endpointsInSliceOrder) return read
  const keys = items.map((item) => addressesOf(item).map(textOf).join(','))
  const order = [...read.keys()].sort((a, b) => compareText(keys[a] ?? '', keys[b] ?? ''))
  return order.map((index) => elementAt(read, index))
}

function addressesOf(item: unknown): readonly unknown[] {
  return isObject(item) && Array.isArray(item.addresses) ? item.addresses : []
}

/** Returns the text of an address. Only the first address is validated; the rest may have any type. */
function textOf(address: unknown): string {
  return typeof address === 'string' ? address : ''
}

function compareText(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
