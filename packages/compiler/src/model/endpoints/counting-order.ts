import type { Features } from '../configuration/features.js'
import { isObject } from '../reading/read-field.js'

/**
 * What was read of the endpoints of one slice (`read`, one for each of `items`) in the order in which they count where two
 * have one address: that of the slice, or sorted by all their addresses, as `newEndpointSliceInfo` of kube-proxy v1.30
 * does. Go's sort is not stable for more than twelve endpoints; this one is.
 */
export function inCountingOrder<Read>(
  read: readonly Read[],
  items: readonly unknown[],
  features: Features,
): readonly Read[] {
  if (features.endpointsInSliceOrder) return read
  const keys = items.map((item) => addressesOf(item).map(textOf).join(','))
  const order = [...read.keys()].sort((a, b) => compareText(keys[a] ?? '', keys[b] ?? ''))
  return order.map((index) => read[index] as Read)
}

function addressesOf(item: unknown): readonly unknown[] {
  return isObject(item) && Array.isArray(item.addresses) ? item.addresses : []
}

/** Only the first address is checked; the others may be anything. */
function textOf(address: unknown): string {
  return typeof address === 'string' ? address : ''
}

function compareText(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
