import { IPVS_DEVICE } from '@kube-rules/types/internal/ipvs-device'
import { indexResourcesById, type Resource, type Resources } from '../../patch/resource.js'
import type { AddressState } from './ast.js'

/**
 * The device that has the addresses. An update creates the device if it is missing. An update never removes the device,
 * because the device may have addresses of the other family.
 */
export const DEVICE_RESOURCE: Resource = { id: `device ${IPVS_DEVICE}`, refs: [], value: { type: 'dummy' } }

const ADDRESS_PREFIX = 'address '

/**
 * Lists the resources of a state: the device, and `address 10.96.0.1` for each address. Each address refers to the
 * device.
 */
export function resourcesOf({ addresses }: AddressState): Resources {
  return indexResourcesById([DEVICE_RESOURCE, ...addresses.map(createAddressResource)])
}

/** Builds the state from these resources. */
export function assembleAddresses(resources: Resources): AddressState {
  return {
    addresses: Array.from(resources.keys(), (id) => parseAddressId(id) ?? [])
      .flat()
      .sort(),
  }
}

/** Returns the resource of an address on the device. */
export function createAddressResource(address: string): Resource {
  return { id: formatAddressId(address), refs: [DEVICE_RESOURCE.id], value: { device: IPVS_DEVICE } }
}

export function formatAddressId(address: string): string {
  return ADDRESS_PREFIX + address
}

/** Reports whether an id belongs to the device or to an address on it. */
export function isAddressId(id: string): boolean {
  return id === DEVICE_RESOURCE.id || id.startsWith(ADDRESS_PREFIX)
}

/** Returns the address in an id. Returns undefined for the id of the device. */
export function parseAddressId(id: string): string | undefined {
  return id === DEVICE_RESOURCE.id ? undefined : id.slice(ADDRESS_PREFIX.length)
}
