import { compareValues } from '../../internal/compare-values.js'
import { elementAt } from '../../internal/known-items.js'
import { mapList } from '../../internal/map-list.js'
import { parseAddress } from '../netfilter/parse-address.js'
import { createAddressSortKey, hostNetmaskOf, ipv4ToNumber } from './addresses.js'
import {
  FLAG_HASHED,
  FLAG_PERSISTENT,
  type IpvsState,
  type RealServer,
  type RealServerKey,
  VIRTUAL_SERVER_PROTOCOLS,
  type VirtualServer,
} from './ast.js'

/**
 * Converts a state to normal form for comparison. The normal form has the information that `ipvsadm -Sn` prints.
 *
 * Virtual servers are in the order of `sortForPrinting`. Addresses are canonical. Timeout, netmask and persistence
 * engine are present only if effective. `FLAG_HASHED` is removed, because the kernel sets it. Real servers with routing
 * or tunnels have the port of the virtual server, and every tunnel has an explicit kind. Thresholds are left out,
 * because ipvsadm does not save them.
 */
export function canonicalize(state: IpvsState): IpvsState {
  return sortForPrinting({ ...state, virtualServers: mapList(state.virtualServers, canonicalizeVirtualServer) })
}

function canonicalizeVirtualServer(server: VirtualServer): VirtualServer {
  const { netmask, persistenceEngine, ...rest } = server
  const isPersistent = (server.flags & FLAG_PERSISTENT) !== 0
  return {
    ...rest,
    address: parseAddress(server.address) ?? server.address,
    flags: server.flags - (server.flags & FLAG_HASHED),
    timeout: isPersistent ? server.timeout : 0,
    ...(isPersistent && netmask !== undefined && netmask !== hostNetmaskOf(server.address) && { netmask }),
    ...(isPersistent && persistenceEngine !== undefined && { persistenceEngine }),
    realServers: mapList(server.realServers, (realServer) => canonicalizeRealServer(realServer, server)),
  }
}

function canonicalizeRealServer(server: RealServer, virtualServer: VirtualServer): RealServer {
  const { options = [], ...rest } = server
  const address = parseAddress(server.address) ?? server.address
  const port = server.forwarding === 'masquerade' ? server.port : virtualServer.port
  return { ...rest, address, port, ...(server.forwarding === 'tunnel' && { options: canonicalizeTunnel(options) }) }
}

/** Selects the tunnel options that ipvsadm 1.31 saves: kind, port, and checksum mode. */
function canonicalizeTunnel(options: readonly string[]): readonly string[] {
  const kind = valueAfter(options, '--tun-type') ?? 'ipip'
  if (kind === 'ipip') return ['--tun-type', kind]
  const port = valueAfter(options, '--tun-port')
  const checksum = options.find((option) => option === '--tun-csum' || option === '--tun-remcsum') ?? '--tun-nocsum'
  return ['--tun-type', kind, ...(port === undefined ? [] : ['--tun-port', port]), checksum]
}

function valueAfter(options: readonly string[], name: string): string | undefined {
  const index = options.indexOf(name)
  return index < 0 ? undefined : options[index + 1]
}

/**
 * Sorts a state for printing. Virtual servers with IPv4 addresses come before those with IPv6 addresses, and are then
 * sorted by protocol (TCP, UDP, SCTP), address and port. Real servers are sorted by address and port. Addresses are
 * compared by number. The kernel defines no order. ipvsadm prints the same order, except for IPv4 addresses that are
 * more than half of the address space apart.
 */
export function sortForPrinting(state: IpvsState): IpvsState {
  const { unknownLines = [], virtualServers } = state
  const servers = mapList(sortByPlace(virtualServers, virtualServerNumber, createVirtualServerSortKey), sortRealServers)
  return { virtualServers: servers, ...(unknownLines.length > 0 && { unknownLines }) }
}

/**
 * Sorts the real servers of a virtual server like `sortForPrinting`. Returns the same object if the real servers are
 * already sorted.
 */
export function sortRealServers(server: VirtualServer): VirtualServer {
  const realServers = sortByPlace(server.realServers, realServerNumber, createRealServerSortKey)
  return realServers === server.realServers ? server : { ...server, realServers }
}

/** Returns a unique, sortable key of a virtual server. */
export function createVirtualServerSortKey(server: VirtualServer): string {
  const family = server.address.includes(':') ? 6 : 4
  return `${family} ${VIRTUAL_SERVER_PROTOCOLS.indexOf(server.protocol)} ${createAddressSortKey(server.address)} ${portKey(server.port)}`
}

/** Returns a unique, sortable key of a real server within its virtual server. */
export function createRealServerSortKey(server: RealServer): string {
  return `${createAddressSortKey(server.address)} ${portKey(server.port)}`
}

function portKey(port: number): string {
  return String(port).padStart(5, '0')
}

/**
 * Returns a number that sorts like the sort key: the protocol, then 32 bits of the address, then 16 bits of the port.
 * Returns NaN for an address that is not IPv4.
 */
function virtualServerNumber(server: VirtualServer): number {
  return VIRTUAL_SERVER_PROTOCOLS.indexOf(server.protocol) * 2 ** 48 + realServerNumber(server)
}

function realServerNumber({ address, port }: RealServerKey): number {
  return port >= 0 && port <= 65535 ? ipv4ToNumber(address) * 2 ** 16 + port : Number.NaN
}

/**
 * Sorts items by the result of `numberOf`, or by the result of `keyOf` if any item has no number (NaN). Returns the
 * same list if it is already sorted.
 */
function sortByPlace<T>(items: readonly T[], numberOf: (item: T) => number, keyOf: (item: T) => string): readonly T[] {
  const numbers = mapList(items, numberOf)
  return numbers.some(Number.isNaN) ? sortBy(items, mapList(items, keyOf)) : sortBy(items, numbers)
}

function sortBy<T, Key extends string | number>(items: readonly T[], keys: readonly Key[]): readonly T[] {
  if (keys.every((key, index) => index === 0 || elementAt(keys, index - 1) <= key)) return items
  const places = mapList(keys, (_, place) => place).sort((a, b) =>
    compareValues(elementAt(keys, a), elementAt(keys, b)),
  )
  return mapList(places, (place) => elementAt(items, place))
}
