/**
 * The protocols that the iptables tools print by name. The names come from `/etc/protocols` and from a table in the
 * tools.
 */
const NAMES: ReadonlyMap<number, string> = new Map([
  [1, 'icmp'],
  [2, 'igmp'],
  [4, 'ipencap'],
  [6, 'tcp'],
  [17, 'udp'],
  [33, 'dccp'],
  [41, 'ipv6'],
  [47, 'gre'],
  [50, 'esp'],
  [51, 'ah'],
  [58, 'ipv6-icmp'],
  [89, 'ospf'],
  [103, 'pim'],
  [112, 'vrrp'],
  [132, 'sctp'],
  [135, 'mobility-header'],
  [136, 'udplite'],
])

const NUMBERS: ReadonlyMap<string, number> = new Map([
  ...[...NAMES].map(([number, name]) => [name, number] as const),
  ['all', 0],
  ['icmpv6', 58],
  ['ipv6-mh', 135],
  ['mh', 135],
])

/**
 * Returns the number of a protocol, given by name or decimal number. Returns undefined for a name that is not in the
 * table.
 */
export function parseProtocolNumber(protocol: string): number | undefined {
  const existing = NUMBERS.get(protocol)
  if (existing !== undefined) return existing
  return /^\d{1,3}$/.test(protocol) && Number(protocol) <= 255 ? Number(protocol) : undefined
}

/** Converts a protocol name or number to the notation of the tools: `tcp` for `6`, `255` for `255`. */
export function canonicalizeProtocol(protocol: string): string {
  const number = parseProtocolNumber(protocol)
  return number === undefined ? protocol : (NAMES.get(number) ?? String(number))
}
