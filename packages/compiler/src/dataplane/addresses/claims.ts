import { isOfList, listBehind, withArray } from '../../internal/array-of-list.js'
import { type ChunkedList, itemsOf } from '../../internal/chunked-list.js'
import { type ContributionComparison, claimDiff, claimOwners, diffContributed } from '../../patch/claims.js'
import type { Patch } from '../../patch/patch.js'
import type { Resources } from '../../patch/resource.js'
import type { AddressContribution, AddressState } from './ast.js'
import { addressId, addressResource, DEVICE, resourcesOf } from './resources.js'

const ADDRESS_CLAIMS: ContributionComparison<AddressContribution, string> = {
  claimsOf: ({ boundAddresses }) => new Map(boundAddresses.map((address) => [addressId(address), address])),
  textOf: () => '',
  resourcesOf: (address) => [addressResource(address)],
}

/** Compares the claims of contributions. The device is not a claim, because it exists regardless of them. */
const addressClaims = claimDiff(ADDRESS_CLAIMS)

/** Returns the patch from one state to another; undefined means no resources of ours. */
export function diffAddresses(before: AddressState | undefined, after: AddressState | undefined): Patch {
  return diffContributed(before, after, { claims: addressClaims, fixed: () => THE_DEVICE, all: resourcesOf })
}

const THE_DEVICE: Resources = new Map([[DEVICE.id, DEVICE]])

/** Builds the state from contributions, lazily. */
export function mergeContributions(contributions: () => ChunkedList<AddressContribution>): AddressState {
  return withArray({}, 'contributions', contributions, {
    addresses: (list) => Array.from(addressesOf(list())).sort(),
  })
}

/** Returns the addresses of all contributions, unordered. */
function addressesOf(contributions: ChunkedList<AddressContribution>): ReadonlySet<string> {
  const found = new Set<string>()
  for (const { boundAddresses } of itemsOf(contributions)) for (const address of boundAddresses) found.add(address)
  return found
}

/** Returns the owner of each address by its id; the first one of several. */
export function addressOwners({ contributions = [] }: AddressState): ReadonlyMap<string, string> {
  return claimOwners(contributions, ADDRESS_CLAIMS)
}

/** Returns the bound addresses. For a compiled state it avoids sorting them. */
export function boundAddresses(state: AddressState): ReadonlySet<string> {
  const contributions = isOfList(state) ? listBehind(state, 'contributions') : undefined
  return contributions === undefined ? new Set(state.addresses) : addressesOf(contributions)
}
