import {
  type HookPacket,
  matchesInInterface,
  matchesOutInterface,
} from '@kube-rules/compiler/internal/dataplane/netfilter/hook-packet'
import { recordLocalSourceRead } from '@kube-rules/compiler/internal/dataplane/netfilter/read-set'
import {
  disjunctionOf,
  negateIf,
  type Ternary,
  toTernary,
} from '@kube-rules/compiler/internal/dataplane/netfilter/ternary'
import type { Selector } from '@kube-rules/compiler/internal/dataplane/nftables/ast'
import { type Interval, parseInterval } from '@kube-rules/compiler/internal/dataplane/nftables/keys/intervals'
import { typeOfSelector } from '@kube-rules/compiler/internal/dataplane/nftables/selectors'
import { formatMark } from '@kube-rules/compiler/internal/dataplane/nftables/words'
import { isCanonicalIpv4 } from '@kube-rules/types/internal/address-words'
import { isMulticast, isUnspecified } from '@kube-rules/types/internal/ip'

/**
 * The value of a selector for this packet, in set-key notation. `absent` means that the packet has no such field, so
 * that no rule with this selector matches.
 */
export type SelectorValue = { readonly text: string } | 'absent' | 'unknown'

const PORTS: ReadonlySet<string> = new Set(['th', 'tcp', 'udp', 'sctp', 'dccp', 'udplite'])

/**
 * Returns the value of a selector for the packet. The result is also `unknown` if the selector has several values, such
 * as flags.
 */
export function evaluateSelector(selector: Selector, { packet }: HookPacket): SelectorValue {
  switch (selector.kind) {
    case 'payload':
      return payloadValue(selector, packet)
    case 'meta':
      if (selector.key === 'l4proto') return { text: packet.protocol }
      if (selector.key === 'mark') return { text: formatMark(packet.mark) }
      if (selector.key === 'nfproto') return { text: packet.family === 'IPv4' ? 'ipv4' : 'ipv6' }
      return 'unknown'
    default:
      return 'unknown'
  }
}

function payloadValue(
  { protocol, field }: Selector & { readonly kind: 'payload' },
  packet: HookPacket['packet'],
): SelectorValue {
  if (PORTS.has(protocol)) {
    if (protocol !== 'th' && protocol !== packet.protocol) return 'absent'
    const port = field === 'dport' ? packet.destinationPort : field === 'sport' ? packet.sourcePort : undefined
    return port === undefined ? 'unknown' : { text: String(port) }
  }
  const header = packet.family === 'IPv4' ? 'ip' : 'ip6'
  if (protocol !== header) return protocol === 'ip' || protocol === 'ip6' ? 'absent' : 'unknown'
  switch (field) {
    case 'saddr':
      return { text: packet.source }
    case 'daddr':
      return { text: packet.destination }
    case 'protocol':
    case 'nexthdr':
      return { text: packet.protocol }
    default:
      return 'unknown'
  }
}

const BLIND_FIELDS: ReadonlySet<string> = new Set(['saddr', 'sport', 'protocol', 'nexthdr'])
const BLIND_KEYS: ReadonlySet<string> = new Set(['l4proto', 'mark', 'nfproto', 'iifname', 'iif'])

/** Reports whether the value of a selector may depend on the destination of a packet. */
export function mayDependOnDestination(selector: Selector): boolean {
  switch (selector.kind) {
    case 'payload':
      return !BLIND_FIELDS.has(selector.field)
    case 'meta':
      return !BLIND_KEYS.has(selector.key)
    case 'fib':
      return true
    case 'ct':
    case 'numgen':
      return false
  }
}

/** Reports whether the value of a selector matches the key. The packet must have a value for this selector. */
export function matchesKey(selector: Selector, key: string, passage: HookPacket): Ternary {
  const value = evaluateSelector(selector, passage)
  if (typeof value === 'object') return isWithin(value.text, key, typeOfSelector(selector) ?? '')
  switch (selector.kind) {
    case 'meta':
      return isInterface(selector.key, key, passage)
    case 'ct':
      return disjunctionOf(key.split(',').map((flag) => hasFlag(selector.key, flag, passage)))
    case 'fib':
      return selector.result === 'type' ? isAddressOfType(selector.flags, key, passage) : 'unknown'
    default:
      return 'unknown'
  }
}

function isWithin(value: string, key: string, type: string): Ternary {
  if (value === key) return 'yes'
  // Fast path: most keys are individual addresses.
  if (type === 'ipv4_addr' && isCanonicalIpv4(key) && isCanonicalIpv4(value)) return 'no'
  const interval = parseInterval(key, type)
  const own = parseInterval(value, type)
  if (interval === undefined || own === undefined) return toTernary(value === key)
  return toTernary(holds(interval, own.first))
}

function holds({ first, last }: Interval, number: bigint): boolean {
  return number >= first && number <= last
}

/** Matches an interface name. A prefix ends with `*` in nft and with `+` in iptables. */
function isInterface(key: string, name: string, passage: HookPacket): Ternary {
  const pattern = name.endsWith('*') ? `${name.slice(0, -1)}+` : name
  if (key === 'iifname' || key === 'iif') return matchesInInterface(pattern, passage)
  return key === 'oifname' || key === 'oif' ? matchesOutInterface(pattern, passage) : 'unknown'
}

/** The first packet of a connection is new and valid, regardless of earlier rules. */
function hasFlag(key: string, flag: string, { packet }: HookPacket): Ternary {
  if (key === 'state') return toTernary(flag === 'new')
  if (key !== 'status') return 'unknown'
  if (flag === 'dnat') return toTernary(packet.translatedBy === 'dnat')
  return flag === 'snat' ? toTernary(packet.masqueraded) : 'unknown'
}

function isAddressOfType(flags: readonly string[], type: string, { packet, facts }: HookPacket): Ternary {
  if (flags.includes('saddr')) recordLocalSourceRead(packet.readSet)
  const address = flags.includes('saddr') ? packet.source : packet.destination
  switch (type) {
    case 'local':
      return facts.isLocal(address)
    case 'multicast':
      return toTernary(isMulticast(address))
    case 'unicast':
      return isMulticast(address) || isUnspecified(address) ? 'no' : negateIf(true, facts.isLocal(address))
    default:
      return facts.isLocal(address) === 'yes' ? 'no' : 'unknown'
  }
}

/** Reports whether a selector is a field of a packet header, such as `daddr`. */
export function isPayloadField(selector: Selector, field: string): boolean {
  return selector.kind === 'payload' && selector.field === field
}
