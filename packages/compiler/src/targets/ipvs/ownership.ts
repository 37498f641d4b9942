import { type Cidr, IP_FAMILIES, type IpFamily } from '@kube-rules/types'
import { cidrContains } from '@kube-rules/types/internal/cidr'
import type { AddressState } from '../../dataplane/addresses/ast.js'
import { DEVICE_RESOURCE, parseAddressId } from '../../dataplane/addresses/resources.js'
import {
  type DriftKind,
  type DriftReasons,
  preferExpectedItem,
  type ResourceOwnership,
} from '../../dataplane/comparison.js'
import type { IpsetState } from '../../dataplane/ipset/ast.js'
import { createSetResource, isEntryResource } from '../../dataplane/ipset/resources.js'
import { parseChainId } from '../../dataplane/iptables/resources.js'
import type { IpvsState } from '../../dataplane/ipvs/ast.js'
import { parseServerId, realServerValueOf } from '../../dataplane/ipvs/resources.js'
import { formatIpsetId } from '../../dataplane/netfilter/format-ipset-id.js'
import { invariant } from '../../internal/invariant.js'
import type { Features } from '../../model/configuration/features.js'
import type { Resource } from '../../patch/resource.js'
import type { ModeOwnership } from '../ownership.js'
import { createIptablesResourceOwnership } from '../shared/iptables-ownership.js'
import { createStaticResources } from '../shared/static-resources.js'
import { FIREWALL_CHAIN, listFilterTableChains, listNatTableChains } from './chain-names.js'
import { FILTER_JUMPS, NAT_JUMPS } from './jumps.js'
import { listIpsetDefinitions } from './sets.js'
import { type RemovalBehavior, selectRemovalBehavior } from './termination.js'

/** Defines which node resources belong to kube-proxy in `ipvs` mode. */
export const ipvsOwnership: ModeOwnership = {
  resources: ({ family, kernel: { features, ipvs } }) => ({
    ipset: createIpsetOwnership(family, features),
    ipvs: createIpvsResourceOwnership(ipvs.excludeCidrs, selectRemovalBehavior(features)),
    addresses: createAddressOwnership(ipvs.excludeCidrs, selectRemovalBehavior(features)),
    iptables: createIptablesResourceOwnership(isOwnChain),
  }),
  isModeSpecific: (id) => {
    const { chain, table } = parseChainId(id)
    return isOwnChain(chain, table)
  },
  matches: (id) => OWN_SETS.has(id),
  staticResources: (family) => [
    ...listIpsetDefinitions(family).map(createSetResource),
    DEVICE_RESOURCE,
    ...createStaticResources([
      // Rules of the old chain would keep sets from being destroyed.
      { table: 'nat', chains: [...listNatTableChains(), FIREWALL_CHAIN], jumps: NAT_JUMPS },
      { table: 'filter', chains: listFilterTableChains(), jumps: FILTER_JUMPS },
    ]),
  ],
  provesMode: ({ addresses, ipset }) =>
    (addresses !== undefined && addresses.addresses.length > 0) ||
    (ipset?.sets.some(({ name }) => OWN_SETS.has(formatIpsetId(name))) ?? false),
}

const OWN_CHAINS: ReadonlySet<string> = new Set([
  ...listFilterTableChains(),
  ...listNatTableChains(),
  // A chain of 1.17 and older.
  'KUBE-FIRE-WALL',
])

const OWN_SETS: ReadonlySet<string> = new Set(
  IP_FAMILIES.flatMap((family) => listIpsetDefinitions(family).map(({ name }) => formatIpsetId(name))),
)

/** A chain of the kubelet in the filter table has the same name as an old chain of kube-proxy in the nat table. */
function isOwnChain(chain: string, table: string): boolean {
  return OWN_CHAINS.has(chain) || (table === 'nat' && chain === FIREWALL_CHAIN)
}

/**
 * Returns the ownership of sets. The sets that kube-proxy creates in any version belong to kube-proxy, with all their
 * entries. Other sets are ignored. In versions with prefixed names of IPv6 sets, this includes the IPv6 sets of older
 * versions, because they have the names of IPv4 sets.
 */
export function createIpsetOwnership(family: IpFamily, features: Features): ResourceOwnership<IpsetState, Resource> {
  const definitions = [...listIpsetDefinitions(family), ...listIpsetDefinitions(family, features)]
  const sets = new Set(definitions.map(({ name }) => formatIpsetId(name)))
  return {
    isOwned: (id) => sets.has(id.split(' ', 2).join(' ')),
    reasonOf: (kind, items) =>
      reasonFrom(isEntryResource(preferExpectedItem(items)) ? ENTRY_REASONS : SET_REASONS, kind),
  }
}

/**
 * Returns the ownership of virtual servers. All virtual servers belong to kube-proxy, except those with an address in
 * one of `excludeCidrs`. An unexpected real server with weight 0 is terminating; kube-proxy removes it later, unless
 * kube-proxy deletes real servers of its protocol at once. In versions that first remove the real servers of an
 * unexpected virtual server, the virtual server itself stays for a while.
 */
export function createIpvsResourceOwnership(
  excludeCidrs: readonly Cidr[],
  removal: RemovalBehavior,
): ResourceOwnership<IpvsState, Resource> {
  const { deletedAtOnce = [], emptiedFirst = false } = removal
  const isExcluded = (address: string) => excludeCidrs.some((cidr) => cidrContains(cidr, address))
  return {
    isOwned: (id, value) => {
      const { virtualServer, realServer } = parseServerId(id)
      if (realServer !== undefined) {
        return deletedAtOnce.includes(virtualServer.protocol) || realServerValueOf({ value }).weight !== 0
      }
      return !emptiedFirst && !isExcluded(virtualServer.address)
    },
    ...(emptiedFirst && {
      isTemporarilyKept: (id) => {
        const { virtualServer, realServer } = parseServerId(id)
        return realServer === undefined && !isExcluded(virtualServer.address)
      },
    }),
    reasonOf: (kind, items) =>
      reasonFrom(preferExpectedItem(items).refs.length === 0 ? VIRTUAL_SERVER_REASONS : REAL_SERVER_REASONS, kind),
  }
}

/**
 * Returns the ownership of addresses. All addresses of `kube-ipvs0` belong to kube-proxy. Some versions unbind an address
 * only when they delete a virtual server at this address. In these versions, addresses in `excludeCidrs` do not belong to
 * kube-proxy, because their virtual servers are never deleted.
 */
export function createAddressOwnership(
  excludeCidrs: readonly Cidr[],
  removal: RemovalBehavior,
): ResourceOwnership<AddressState, Resource> {
  const { addressesOutliveServices, emptiedFirst = false } = removal
  const isExcluded = (id: string) => excludeCidrs.some((cidr) => cidrContains(cidr, parseAddressId(id) ?? ''))
  return {
    isOwned: (id) => !emptiedFirst && !(addressesOutliveServices && isExcluded(id)),
    ...(emptiedFirst && { isTemporarilyKept: (id) => !isExcluded(id) }),
    reasonOf: (kind) => reasonFrom(ADDRESS_REASONS, kind),
  }
}

const SET_REASONS: DriftReasons = {
  missing: 'the set is missing with all its entries, and rules that match it cannot be loaded',
  extra: 'rules that match the set apply to an unexpected entry',
  changed: 'the set has another type, family or size',
}

const ENTRY_REASONS: DriftReasons = {
  missing: 'rules that match the set do not apply to this entry',
  extra: 'rules that match the set apply to an unexpected entry',
  changed: 'the entry has other options',
}

const VIRTUAL_SERVER_REASONS: DriftReasons = {
  missing: 'this address and port are not served',
  extra: 'this address and port should not be served',
  changed: 'connections are distributed differently',
}

const REAL_SERVER_REASONS: DriftReasons = {
  missing: 'an endpoint gets no connections',
  extra: 'connections go to an endpoint that should get none',
  changed: 'an endpoint gets a different share of the connections than expected',
}

const ADDRESS_REASONS: DriftReasons = {
  missing: 'the address is not bound to the node',
  extra: 'an address that belongs to no Service is bound to the node',
  changed: 'the address is on another device',
}

function reasonFrom(reasons: DriftReasons, kind: DriftKind): string {
  invariant(kind !== 'misplaced', 'sets and servers have no order')
  return reasons[kind]
}
