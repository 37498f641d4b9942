import { isOfList, listBehind, withArray } from '../../internal/array-of-list.js'
import { type ChunkedList, itemsOf } from '../../internal/chunked-list.js'
import { type Claiming, claimDiff, claimOwners, diffContributed } from '../../patch/claims.js'
import type { Patch } from '../../patch/patch.js'
import type { Resources } from '../../patch/resource.js'
import type { AddressContribution, AddressState } from './ast.js'
import { addressId, addressResource, DEVICE, resourcesOf } from './resources.js'

const ADDRESS_CLAIMS: Claiming<AddressContribution, string> = {
  claimsOf: ({ boundAddresses }) => new Map(boundAddresses.map((address) => [addressId(address), address])),
  textOf: () => '',
  resourcesOf: (address) => [addressResource(address)],
}

/** Compares what contributions ask for. The device is no part of it: it is there whoever asks. */
const addressClaims = claimDiff(ADDRESS_CLAIMS)

/** What turns one state into another; undefined stands for nothing of ours. */
export function diffAddresses(before: AddressState | undefined, after: AddressState | undefined): Patch {
  return diffContributed(before, after, { claims: addressClaims, fixed: () => THE_DEVICE, all: resourcesOf })
}

const THE_DEVICE: Resources = new Map([[DEVICE.id, DEVICE]])

/** The state that is put together of contributions, when it is first asked for. */
export function stateOfContributions(contributions: () => ChunkedList<AddressContribution>): AddressState {
  return withArray({}, 'contributions', contributions, {
    addresses: (list) => Array.from(addressesOf(list())).sort(),
  })
}

/** What contributions ask for, in no order. */
function addressesOf(contributions: ChunkedList<AddressContribution>): ReadonlySet<string> {
  const found = new Set<string>()
  for (const { boundAddresses } of itemsOf(contributions)) for (const address of boundAddresses) found.add(address)
  return found
}

/** The owner of each address, by its id; of several the first. */
export function addressOwners({ contributions = [] }: AddressState): ReadonlyMap<string, string> {
  return claimOwners(contributions, ADDRESS_CLAIMS)
}

/** Of a compiled state without putting them in order. */
export function boundAddresses(state: AddressState): ReadonlySet<string> {
  const contributions = isOfList(state) ? listBehind(state, 'contributions') : undefined
  return contributions === undefined ? new Set(state.addresses) : addressesOf(contributions)
}
