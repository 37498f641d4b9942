import { type Cidr, cidrContains, type IpFamily } from '@kube-rules/types'
import type { AddressState } from '../../dataplane/addresses/ast.js'
import type { Custody, DriftedItems, DriftKind } from '../../dataplane/comparison.js'
import type { IpsetState } from '../../dataplane/ipset/ast.js'
import { isEntry } from '../../dataplane/ipset/resources.js'
import type { IpvsState } from '../../dataplane/ipvs/ast.js'
import { placeOfId, type RealServerValue } from '../../dataplane/ipvs/resources.js'
import { setId } from '../../dataplane/netfilter/set-id.js'
import { invariant } from '../../internal/invariant.js'
import type { Resource } from '../../patch/resource.js'
import { setDefinitions } from './sets.js'

/** The sets of kube-proxy, each with all its entries; others are left alone. */
export function ipsetCustody(family: IpFamily): Custody<IpsetState, Resource> {
  const sets = new Set(setDefinitions(family).map(({ name }) => setId(name)))
  return {
    isOurs: (id) => sets.has(id.split(' ', 2).join(' ')),
    reasonOf: (kind, items) => reasonFrom(isEntry(resourceOf(items)) ? ENTRY_REASONS : SET_REASONS, kind),
  }
}

/**
 * Virtual servers but for those in one of `excludeCidrs`. A real server of TCP with weight 0 that nobody wants waits for the
 * end of its connections: kube-proxy removes it then.
 */
export function ipvsCustody(excludeCidrs: readonly Cidr[]): Custody<IpvsState, Resource> {
  return {
    isOurs: (id, value) => {
      const { virtualServer, realServer } = placeOfId(id)
      if (realServer !== undefined) return virtualServer.protocol !== 'TCP' || (value as RealServerValue).weight !== 0
      return !excludeCidrs.some((cidr) => cidrContains(cidr, virtualServer.address))
    },
    reasonOf: (kind, items) =>
      reasonFrom(resourceOf(items).refs.length === 0 ? VIRTUAL_SERVER_REASONS : REAL_SERVER_REASONS, kind),
  }
}

/** All addresses of `kube-ipvs0`. */
export const ADDRESS_CUSTODY: Custody<AddressState, Resource> = {
  isOurs: () => true,
  reasonOf: (kind) => reasonFrom(ADDRESS_REASONS, kind),
}

/** Nothing of these languages has an order, so that nothing is misplaced. */
type Reasons = Readonly<Record<Exclude<DriftKind, 'misplaced'>, string>>

const SET_REASONS: Reasons = {
  missing: 'the set is missing with all its entries, and rules that match it cannot be loaded',
  extra: 'rules that match the set apply to an entry that nobody wants',
  changed: 'the set is of another type, family or size',
}

const ENTRY_REASONS: Reasons = {
  missing: 'rules that match the set do not apply to this entry',
  extra: 'rules that match the set apply to an entry that nobody wants',
  changed: 'the entry has other options',
}

const VIRTUAL_SERVER_REASONS: Reasons = {
  missing: 'nothing answers at this address and port',
  extra: 'this address and port are served, which nobody wants',
  changed: 'connections are spread in another way',
}

const REAL_SERVER_REASONS: Reasons = {
  missing: 'an endpoint gets no connections',
  extra: 'connections go to an endpoint that should get none',
  changed: 'an endpoint gets another share of the connections',
}

const ADDRESS_REASONS: Reasons = {
  missing: 'the node does not answer for this address',
  extra: 'the node answers for an address of no Service',
  changed: 'the address is on another device',
}

function reasonFrom(reasons: Reasons, kind: DriftKind): string {
  invariant(kind !== 'misplaced', 'sets and servers have no order')
  return reasons[kind]
}

function resourceOf({ wanted, found }: DriftedItems<Resource>): Resource {
  return (wanted ?? found) as Resource
}
