import { type ClaimDiff, type Claiming, claimDiff, claimOwners } from '../../diff/claims.js'
import { withArray } from '../../internal/array-of-list.js'
import { type ChunkedList, itemsOf } from '../../internal/chunked-list.js'
import { lazily } from '../../internal/lazily.js'
import { withLazy } from '../../internal/with-lazy.js'
import type { AddressContribution, AddressState } from './ast.js'
import { addressId, addressResource } from './resources.js'

const ADDRESS_CLAIMS: Claiming<AddressContribution, string> = {
  claimsOf: ({ boundAddresses }) => new Map(boundAddresses.map((address) => [addressId(address), address])),
  textOf: () => '',
  resourcesOf: (address) => [addressResource(address)],
}

/** Compares what contributions ask for. The device is no part of it: it is there whoever asks. */
export const addressClaims: ClaimDiff<AddressContribution> = claimDiff(ADDRESS_CLAIMS)

/** The state that is put together of contributions, when it is first asked for. */
export function stateOfContributions(contributions: () => ChunkedList<AddressContribution>): AddressState {
  const addresses = lazily(() => Array.from(addressesOf(contributions())).sort())
  return withLazy(withArray({}, 'contributions', contributions), 'addresses', addresses)
}

/** What contributions ask for, in no order. */
export function addressesOf(contributions: ChunkedList<AddressContribution>): ReadonlySet<string> {
  const found = new Set<string>()
  for (const { boundAddresses } of itemsOf(contributions)) for (const address of boundAddresses) found.add(address)
  return found
}

/** The owner of each address, by its id; of several the first. */
export function addressOwners({ contributions = [] }: AddressState): ReadonlyMap<string, string> {
  return claimOwners(contributions, ADDRESS_CLAIMS)
}
