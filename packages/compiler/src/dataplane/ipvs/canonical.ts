import { addressKey, hostNetmask, readAddress } from './addresses.js'
import { FLAG_HASHED, FLAG_PERSISTENT, type IpvsState, PROTOCOLS, type RealServer, type VirtualServer } from './ast.js'

/**
 * The normal form by which states are compared, which is also what `ipvsadm -Sn` can tell of them.
 *
 * Virtual servers stand in the order of `inOrder`. Addresses are canonical; timeout, netmask and persistence engine are
 * there only where they count; the kernel's `FLAG_HASHED` is not. Real servers that are routed or tunnelled to have the
 * virtual server's port, tunnels their kind; thresholds are left out, because ipvsadm does not save them.
 */
export function canonical(state: IpvsState): IpvsState {
  return inOrder({ ...state, virtualServers: state.virtualServers.map(canonicalVirtualServer) })
}

function canonicalVirtualServer(server: VirtualServer): VirtualServer {
  const { netmask, persistenceEngine, ...rest } = server
  const isPersistent = (server.flags & FLAG_PERSISTENT) !== 0
  return {
    ...rest,
    address: readAddress(server.address) ?? server.address,
    flags: server.flags - (server.flags & FLAG_HASHED),
    timeout: isPersistent ? server.timeout : 0,
    ...(isPersistent && netmask !== undefined && netmask !== hostNetmask(server.address) && { netmask }),
    ...(isPersistent && persistenceEngine !== undefined && { persistenceEngine }),
    realServers: server.realServers.map((realServer) => canonicalRealServer(realServer, server)),
  }
}

function canonicalRealServer(server: RealServer, virtualServer: VirtualServer): RealServer {
  const { options = [], ...rest } = server
  const address = readAddress(server.address) ?? server.address
  const port = server.forwarding === 'masquerade' ? server.port : virtualServer.port
  return { ...rest, address, port, ...(server.forwarding === 'tunnel' && { options: canonicalTunnel(options) }) }
}

/** Mirrors how ipvsadm 1.31 saves a tunnel: kind, port, and whether there are checksums. */
function canonicalTunnel(options: readonly string[]): readonly string[] {
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
 * The same state in the order in which it is printed: virtual servers of IPv4 before IPv6, then by protocol (TCP, UDP,
 * SCTP), address and port; real servers by address and port; addresses by number. The kernel has no order of its own,
 * and that of ipvsadm is the same but for IPv4 addresses more than half the address space apart, which it swaps.
 */
export function inOrder(state: IpvsState): IpvsState {
  const { unknownLines = [], virtualServers } = state
  const sorted = sortByKey(virtualServers, virtualServerKey)
  const servers = sorted.map((server) => ({ ...server, realServers: sortByKey(server.realServers, realServerKey) }))
  return { virtualServers: servers, ...(unknownLines.length > 0 && { unknownLines }) }
}

/** What no two virtual servers have in common, in a form that sorts. */
export function virtualServerKey(server: VirtualServer): string {
  const family = server.address.includes(':') ? 6 : 4
  return `${family} ${PROTOCOLS.indexOf(server.protocol)} ${addressKey(server.address)} ${portKey(server.port)}`
}

/** What no two real servers of one virtual server have in common, in a form that sorts. */
export function realServerKey(server: RealServer): string {
  return `${addressKey(server.address)} ${portKey(server.port)}`
}

function portKey(port: number): string {
  return String(port).padStart(5, '0')
}

function sortByKey<T>(items: readonly T[], keyOf: (item: T) => string): readonly T[] {
  const keyed = items.map((item) => ({ item, key: keyOf(item) }))
  keyed.sort((left, right) => (left.key < right.key ? -1 : left.key > right.key ? 1 : 0))
  return keyed.map(({ item }) => item)
}
