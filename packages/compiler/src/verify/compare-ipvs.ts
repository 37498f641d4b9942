import { cidrContains, familyOf, type IpFamily } from '@kube-rules/types'
import type { IpsetState, SetDefinition } from '../dataplane/ipset/ast.js'
import { canonical as canonicalSets } from '../dataplane/ipset/canonical.js'
import { addLine, createLine } from '../dataplane/ipset/print.js'
import { resourcesOf as ipsetResources, isEntry } from '../dataplane/ipset/resources.js'
import type { IpvsState, RealServer, VirtualServer, VirtualServerDefinition } from '../dataplane/ipvs/ast.js'
import { canonical as canonicalServers } from '../dataplane/ipvs/canonical.js'
import { realServerLine, virtualServerLine } from '../dataplane/ipvs/print.js'
import {
  resourcesOf as ipvsResources,
  placeOfId,
  type RealServerValue,
  virtualServerId,
} from '../dataplane/ipvs/resources.js'
import type { Resource } from '../diff/resource.js'
import type { Dump } from '../dump/dump.js'
import type { Plan } from '../plan/plan.js'
import { addressOfId, addressResource } from '../targets/ipvs/address-resources.js'
import { ipvsSets } from '../targets/ipvs/sets.js'
import type { IpvsModeState } from '../targets/ipvs/state.js'
import { compareResources } from './compare-resources.js'
import { type Comparison, joinComparisons, NOTHING_FOUND } from './finding.js'
import { ipvsOwners } from './ipvs-owners.js'
import type { UnverifiedPart } from './report.js'

type OwnerOf = (resource: Resource) => string

/** Compares the sets, virtual servers and addresses of one family. */
export function compareIpvs(state: IpvsModeState, plan: Plan, dump: Dump): Comparison {
  const ownerOf = ipvsOwners(state, plan)
  return joinComparisons([
    dump.ipset === undefined
      ? unverified('ipset', 'the dump has no sets, such as ipset save prints')
      : compareSets(state, dump.ipset, ownerOf),
    dump.ipvs === undefined
      ? unverified('ipvs', 'the dump has no virtual servers, such as ipvsadm -Sn prints')
      : compareServers(state, dump.ipvs, ownerOf),
    dump.addresses === undefined
      ? unverified('addresses', 'the dump has no addresses, such as ip -o address show dev kube-ipvs0 prints')
      : compareAddresses(state, dump.addresses, ownerOf),
  ])
}

function unverified(part: UnverifiedPart, reason: string): Comparison {
  return { ...NOTHING_FOUND, unverified: [{ part, reason }] }
}

/** The sets of kube-proxy; others are left alone. */
function compareSets({ family, ipsets }: IpvsModeState, live: IpsetState, ownerOf: OwnerOf): Comparison {
  const names = new Set(ipvsSets(family).map(({ name }) => name))
  const ours = canonicalSets({ sets: live.sets.filter(({ name }) => names.has(name)) })
  return compareResources(ipsetResources(ours), ipsetResources(canonicalSets(ipsets)), {
    language: 'ipset',
    ownerOf,
    ownValue: (resource) => (isEntry(resource) ? resource.value.entry : resource.value),
    textOf: (resource) =>
      isEntry(resource)
        ? addLine(resource.value.set, resource.value.entry)
        : createLine(resource.value as SetDefinition),
    missing: (resource) =>
      isEntry(resource)
        ? 'rules that match the set do not apply to this entry'
        : 'the set is missing with all its entries, and rules that match it cannot be loaded',
    extra: () => 'rules that match the set apply to an entry that nobody wants',
    changed: (wanted) =>
      isEntry(wanted) ? 'the entry has other options' : 'the set is of another type, family or size',
  })
}

function compareServers(state: IpvsModeState, live: IpvsState, ownerOf: OwnerOf): Comparison {
  const wanted = canonicalServers(state.virtualServers)
  const ours = withoutOthers(canonicalServers(live), wanted, state)
  return compareResources(ipvsResources(ours), ipvsResources(wanted), {
    language: 'ipvs',
    ownerOf,
    ownValue: ({ value }) => value,
    textOf: serverText,
    missing: ({ refs }) =>
      refs.length === 0 ? 'nothing answers at this address and port' : 'an endpoint gets no connections',
    extra: ({ refs }) =>
      refs.length === 0
        ? 'this address and port are served, which nobody wants'
        : 'connections go to an endpoint that should get none',
    changed: ({ refs }) =>
      refs.length === 0 ? 'connections are spread in another way' : 'an endpoint gets another share of the connections',
  })
}

function serverText({ id, value }: Resource): string {
  const { virtualServer, realServer } = placeOfId(id)
  if (realServer === undefined) return virtualServerLine('-A', value as VirtualServerDefinition)
  return realServerLine('-a', virtualServer, { ...realServer, ...(value as RealServerValue) })
}

/** Those of the family, without the virtual servers and real servers that kube-proxy would leave. */
function withoutOthers(live: IpvsState, wanted: IpvsState, { family, excludeCidrs }: IpvsModeState): IpvsState {
  const byId = new Map(wanted.virtualServers.map((server) => [virtualServerId(server), server]))
  const isOurs = (server: VirtualServer) =>
    familyOf(server.address) === family &&
    (byId.has(virtualServerId(server)) || !excludeCidrs.some((cidr) => cidrContains(cidr, server.address)))
  return {
    virtualServers: live.virtualServers
      .filter(isOurs)
      .map((server) => withoutWaiting(server, byId.get(virtualServerId(server)))),
  }
}

/** kube-proxy leaves a real server of TCP with weight 0 until its connections end. */
function withoutWaiting(live: VirtualServer, wanted: VirtualServer | undefined): VirtualServer {
  if (live.protocol !== 'TCP' || wanted === undefined) return live
  const isWanted = ({ address, port }: RealServer) =>
    wanted.realServers.some((server) => server.address === address && server.port === port)
  return { ...live, realServers: live.realServers.filter((server) => server.weight > 0 || isWanted(server)) }
}

function compareAddresses(state: IpvsModeState, live: readonly string[], ownerOf: OwnerOf): Comparison {
  const ours = live.filter((address) => familyOf(address) === state.family)
  return compareResources(addressResources(ours), addressResources(state.boundAddresses), {
    language: 'addresses',
    ownerOf,
    ownValue: ({ value }) => value,
    textOf: ({ id }) => addressText(addressOfId(id) ?? '', state.family),
    missing: () => 'the node does not answer for this address',
    extra: () => 'the node answers for an address of no Service',
    changed: () => 'the address is on another device',
  })
}

function addressResources(addresses: readonly string[]): ReadonlyMap<string, Resource> {
  return new Map(addresses.map(addressResource).map((resource) => [resource.id, resource]))
}

function addressText(address: string, family: IpFamily): string {
  return `${address}/${family === 'IPv4' ? 32 : 128}`
}
