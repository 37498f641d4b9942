import { backingListOf, hasLazyArray, withLazyArray } from '../../internal/lazy-array.js'
import { type ClaimOperations, createClaimDiffer, findClaimOwners } from '../../patch/claims.js'
import { diffContributedStates } from '../../patch/contributed-states.js'
import type { Patch } from '../../patch/patch.js'
import { indexResourcesById, type Resources } from '../../patch/resource.js'
import type { AddressContribution, AddressState } from './ast.js'
import { createAddressResource, DEVICE_RESOURCE, formatAddressId, resourcesOf } from './resources.js'

const ADDRESS_CLAIMS: ClaimOperations<AddressContribution, string> = {
  claimsOf: ({ boundAddresses }) => new Map(boundAddresses.map((address) => [formatAddressId(address), address])),
  sharedKeysOf: ({ boundAddresses }) => boundAddresses,
  isSame: () => true,
  textOf: () => '',
  resourcesOf: (address) => [createAddressResource(address)],
}

/**
 * Computes differences between the addresses that contributions claim. The device `kube-ipvs0` is not claimed, because
 * it exists even without contributions.
 */
const addressClaims = createClaimDiffer(ADDRESS_CLAIMS)

/** Returns the patch from one state to another. An undefined state has no kube-proxy resources. */
export function diffAddresses(before: AddressState | undefined, after: AddressState | undefined): Patch {
  return diffContributedStates(before, after, {
    claims: addressClaims,
    staticResourcesOf: () => THE_DEVICE,
    all: resourcesOf,
  })
}

const THE_DEVICE: Resources = indexResourcesById([DEVICE_RESOURCE])

/** Builds the state from contributions, lazily. */
export function buildAddressState(contributions: () => readonly AddressContribution[]): AddressState {
  return withLazyArray({}, 'contributions', contributions, {
    addresses: (list) => Array.from(addressesOf(list())).sort(),
  })
}

/** Returns the addresses of all contributions, unordered. */
function addressesOf(contributions: readonly AddressContribution[]): ReadonlySet<string> {
  const addresses = new Set<string>()
  for (const { boundAddresses } of contributions) for (const address of boundAddresses) addresses.add(address)
  return addresses
}

/**
 * Returns the owner of each address, by the id of the address. If an address has several owners, returns the first
 * owner.
 */
export function findAddressOwners({ contributions = [] }: AddressState): ReadonlyMap<string, string> {
  return findClaimOwners(contributions, ADDRESS_CLAIMS)
}

/** Returns the bound addresses. The order is arbitrary, because sorting a compiled state is expensive. */
export function boundAddressesOf(state: AddressState): ReadonlySet<string> {
  const contributions = hasLazyArray(state) ? backingListOf(state, 'contributions') : undefined
  return contributions === undefined ? new Set(state.addresses) : addressesOf(contributions)
}
