import { mapList } from '../../internal/map-list.js'
import type { Selector } from './ast.js'

/** The types of the supported packet fields, by protocol and field name. */
const FIELDS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  ip: { saddr: 'ipv4_addr', daddr: 'ipv4_addr', protocol: 'inet_proto', ttl: 'integer', length: 'integer' },
  ip6: { saddr: 'ipv6_addr', daddr: 'ipv6_addr', nexthdr: 'inet_proto', hoplimit: 'integer', length: 'integer' },
  tcp: { sport: 'inet_service', dport: 'inet_service' },
  udp: { sport: 'inet_service', dport: 'inet_service' },
  sctp: { sport: 'inet_service', dport: 'inet_service' },
  dccp: { sport: 'inet_service', dport: 'inet_service' },
  udplite: { sport: 'inet_service', dport: 'inet_service' },
  th: { sport: 'inet_service', dport: 'inet_service' },
  icmp: { type: 'icmp_type', code: 'icmp_code' },
  icmpv6: { type: 'icmpv6_type', code: 'icmpv6_code' },
  ether: { saddr: 'ether_addr', daddr: 'ether_addr', type: 'ether_type' },
  vlan: { id: 'integer' },
}

const META: Readonly<Record<string, string>> = {
  l4proto: 'inet_proto',
  nfproto: 'nf_proto',
  protocol: 'ether_type',
  mark: 'mark',
  iif: 'iface_index',
  oif: 'iface_index',
  iifname: 'ifname',
  oifname: 'ifname',
  pkttype: 'pkt_type',
  skuid: 'uid',
  skgid: 'gid',
}

/** The `meta` keys that nft prints without the word `meta`. */
const BARE_META: ReadonlySet<string> = new Set(['iif', 'oif', 'iifname', 'oifname'])

/** The other `meta` keys that nft also reads without the word `meta`, but prints with it. */
const BARE_META_READ: ReadonlySet<string> = new Set(['mark', 'skuid', 'skgid', 'pkttype'])

const CT: Readonly<Record<string, string>> = {
  state: 'ct_state',
  status: 'ct_status',
  direction: 'ct_dir',
  mark: 'mark',
}

const FIB_FLAGS: ReadonlySet<string> = new Set(['saddr', 'daddr', 'mark', 'iif', 'oif'])

const FIB: Readonly<Record<string, string>> = { type: 'fib_addrtype', oif: 'fib_oif', oifname: 'fib_oif' }

/** Reports whether a protocol has supported fields. */
export function isSupportedProtocol(word: string): boolean {
  return Object.hasOwn(FIELDS, word)
}

/** Reports whether `word` alone means `meta word`. */
export function isMetaShorthand(word: string): boolean {
  return BARE_META.has(word) || BARE_META_READ.has(word)
}

export function isFibFlag(word: string): boolean {
  return FIB_FLAGS.has(word)
}

/** Returns the type of a selector, in the notation of a set type. Returns undefined if the selector is not supported. */
export function typeOfSelector(selector: Selector): string | undefined {
  switch (selector.kind) {
    case 'payload':
      return own(own(FIELDS, selector.protocol), selector.field)
    case 'meta':
      return own(META, selector.key)
    case 'ct':
      return own(CT, selector.key)
    case 'fib':
      return own(FIB, selector.result)
    case 'numgen':
      return 'integer'
  }
}

/** Returns the types of a concatenation. An unsupported selector has the type `unknown`. */
export function typesOfSelectors(selectors: readonly Selector[]): readonly string[] {
  return mapList(selectors, (selector) => typeOfSelector(selector) ?? 'unknown')
}

function own<Value>(record: Readonly<Record<string, Value>> | undefined, key: string): Value | undefined {
  return record !== undefined && Object.hasOwn(record, key) ? record[key] : undefined
}

/** Formats a selector: `ip saddr`, `fib daddr . iif type`. */
export function formatSelector(selector: Selector): string {
  switch (selector.kind) {
    case 'payload':
      return `${selector.protocol} ${selector.field}`
    case 'meta':
      return BARE_META.has(selector.key) ? selector.key : `meta ${selector.key}`
    case 'ct':
      return `ct ${selector.key}`
    case 'fib':
      return `fib ${selector.flags.join(' . ')} ${selector.result}`
    case 'numgen': {
      const offset = selector.offset === 0 ? '' : ` offset ${selector.offset}`
      return `numgen ${selector.mode} mod ${selector.mod}${offset}`
    }
  }
}
