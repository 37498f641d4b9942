import type { IpFamily } from '@kube-rules/types'
import type { IpsetState } from '../../dataplane/ipset/ast.js'
import type { Block } from '../../dataplane/iptables/ast.js'
import type { IpvsState } from '../../dataplane/ipvs/ast.js'
import { metServers } from './met-servers.js'
import type { ServiceEntries } from './service-entries.js'
import { ipsetState, membersOf, type SetEntry, type SetMask, type SetName, setsOfMask } from './sets.js'

type Services = readonly ServiceEntries[]

/** One virtual server for each address, port and protocol. */
export function virtualServersOf(services: Services): IpvsState {
  return { virtualServers: Array.from(metServers(services).values(), ({ server }) => server) }
}

/** All sets with their entries, those of the bound addresses included. */
export function ipsetsOf(services: Services, boundAddresses: readonly string[], family: IpFamily): IpsetState {
  const entries: SetEntry[] = []
  for (const { setEntries } of services) for (const entry of setEntries) entries.push(entry)
  const members = new Map(membersOf(entries))
  // These are each there once, and in order.
  members.set(
    'KUBE-IPVS-IPS',
    boundAddresses.map((address) => boundEntry(address).entry),
  )
  return ipsetState(members, family)
}

/** In code-unit order. */
export function boundAddressesOf(services: Services): readonly string[] {
  const addresses = new Set<string>()
  for (const { boundAddresses } of services) for (const address of boundAddresses) addresses.add(address)
  return Array.from(addresses).sort()
}

/** The entry of an address that `kube-ipvs0` carries. */
export function boundEntry(address: string): SetEntry {
  return { set: 'KUBE-IPVS-IPS', entry: { kind: 'ip', address } }
}

/** The sets that have members, but for that of bound addresses, on which no rule depends. */
export function filledSets(services: Services): ReadonlySet<SetName> {
  let mask: SetMask = 0
  for (const service of services) mask |= service.filledSets
  return setsOfMask(mask)
}

/** The blocks of service ports that have rules of their own. */
export function filterBlocks(services: Services): readonly Block[] {
  const blocks: Block[] = []
  for (const { filter } of services) if (filter !== undefined) blocks.push(filter)
  return blocks
}
