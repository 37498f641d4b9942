import { IPVS_DEVICE } from '@kube-rules/types'
import type { Resource } from '../../diff/resource.js'

/**
 * The device that carries the addresses. It is made where it is missing and never removed: those of the other family may
 * be on it.
 */
export const DEVICE: Resource = { id: `device ${IPVS_DEVICE}`, refs: [], value: { type: 'dummy' } }

const ADDRESS_PREFIX = 'address '

/** `address 10.96.0.1`: an address on the device. */
export function addressResource(address: string): Resource {
  return { id: ADDRESS_PREFIX + address, refs: [DEVICE.id], value: { device: IPVS_DEVICE } }
}

/** Whether an id is that of the device or of an address on it. */
export function isAddressId(id: string): boolean {
  return id === DEVICE.id || id.startsWith(ADDRESS_PREFIX)
}

/** The address that an id names; undefined for the device. */
export function addressOfId(id: string): string | undefined {
  return id === DEVICE.id ? undefined : id.slice(ADDRESS_PREFIX.length)
}
