import { familyOf, type IpFamily } from '@kube-rules/types'
import { compareResources } from '../dataplane/compare-resources.js'
import type { Comparison, Custody } from '../dataplane/comparison.js'
import type { Resource } from '../diff/resource.js'
import { addressOfId, addressResource } from '../targets/ipvs/address-resources.js'

/** Compares the addresses of `kube-ipvs0`. */
export function compareAddresses(
  wanted: readonly string[],
  live: readonly string[],
  custody: Custody<readonly string[], Resource>,
): Comparison {
  const sides = { wanted: resourcesOf(wanted), live: resourcesOf(live) }
  return compareResources(sides, custody, { textOf, ownValue: ({ value }) => value })
}

function resourcesOf(addresses: readonly string[]): ReadonlyMap<string, Resource> {
  return new Map(addresses.map(addressResource).map((resource) => [resource.id, resource]))
}

function textOf({ id }: Resource): string {
  const address = addressOfId(id) ?? ''
  return `${address}/${PREFIX_LENGTHS[familyOf(address)]}`
}

const PREFIX_LENGTHS: Readonly<Record<IpFamily, number>> = { IPv4: 32, IPv6: 128 }
