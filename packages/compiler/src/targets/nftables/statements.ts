import type { IpFamily, Protocol } from '@kube-rules/types'
import type { Element, MatchStatement, Operand, Operator, Selector, Statement } from '../../dataplane/nftables/ast.js'
import { mapList } from '../../internal/map-list.js'
import type { Endpoint } from '../../model/endpoints/endpoint.js'
import type { LocalTrafficDetection } from '../../model/node/local-traffic-detection.js'

/** The keywords of one family in a table. */
export interface FamilyNames {
  /** The keyword of the table, and of the header with the addresses. */
  readonly header: 'ip' | 'ip6'
  readonly addressType: 'ipv4_addr' | 'ipv6_addr'
  /** The loopback addresses in rule notation. */
  readonly loopback: string
}

export const FAMILY_NAMES: Readonly<Record<IpFamily, FamilyNames>> = {
  IPv4: { header: 'ip', addressType: 'ipv4_addr', loopback: '127.0.0.0/8' },
  IPv6: { header: 'ip6', addressType: 'ipv6_addr', loopback: '::1' },
}

export const L4_PROTOCOL: Selector = { kind: 'meta', key: 'l4proto' }
export const DESTINATION_PORT: Selector = { kind: 'payload', protocol: 'th', field: 'dport' }

export function sourceAddress(family: IpFamily): Selector {
  return { kind: 'payload', protocol: FAMILY_NAMES[family].header, field: 'saddr' }
}

export function destinationAddress(family: IpFamily): Selector {
  return { kind: 'payload', protocol: FAMILY_NAMES[family].header, field: 'daddr' }
}

/** Matches local addresses. */
export function isLocal(side: 'saddr' | 'daddr'): MatchStatement {
  return match([{ kind: 'fib', flags: [side], result: 'type' }], value('local'))
}

export function match(left: readonly Selector[], right: Operand, operator: Operator = '=='): MatchStatement {
  return { kind: 'match', left, operator, right }
}

export function value(text: string): Operand {
  return { kind: 'value', value: text }
}

export function named(set: string): Operand {
  return { kind: 'named', set }
}

/** Returns a match such as `meta l4proto tcp`. */
export function l4ProtocolMatch(protocol: Protocol): MatchStatement {
  return match([L4_PROTOCOL], value(protocol.toLowerCase()))
}

export function jump(chain: string): Statement {
  return { kind: 'jump', chain }
}

/** Returns a statement such as `dnat to 10.180.0.1:80`. */
export function dnatTo({ ip, port }: Endpoint): Statement {
  return { kind: 'dnat', to: { kind: 'address', address: ip, port } }
}

/** Returns a selector for a uniformly random number below `mod`. */
export function randomBelow(mod: number): Selector {
  return { kind: 'numgen', mode: 'random', mod, offset: 0 }
}

/** Returns one element per number: `0 : …, 1 : …`. */
export function numbered<T>(items: readonly T[], elementOf: (item: T, key: string) => Element): readonly Element[] {
  return mapList(items, (item, index) => elementOf(item, String(index)))
}

/** Returns a key of service-ips and similar maps. */
export function addressKey(address: string, protocol: Protocol, port: number): string {
  return `${address} . ${portKey(protocol, port)}`
}

/** Returns a key of service-nodeports and similar maps. */
export function portKey(protocol: Protocol, port: number): string {
  return `${protocol.toLowerCase()} . ${port}`
}

/**
 * Matches traffic of the pods of this node (or, if negated, any other). Mirrors `LocalTrafficDetector` of kube-proxy.
 * Before `byName`, interfaces were looked up when rules are loaded, which fails for missing interfaces, and for every
 * prefix.
 */
export function localTrafficDetectionMatch(
  localTrafficDetection: LocalTrafficDetection,
  family: IpFamily,
  byName: boolean,
  negated: boolean,
): Statement {
  const operator = negated ? '!=' : '=='
  const ofInterface: Selector = { kind: 'meta', key: byName ? 'iifname' : 'iif' }
  switch (localTrafficDetection.kind) {
    case 'cidr':
      return match([sourceAddress(family)], value(localTrafficDetection.cidr.text), operator)
    case 'interface':
      return match([ofInterface], value(localTrafficDetection.interface), operator)
    case 'interfacePrefix':
      return match([ofInterface], value(`${localTrafficDetection.prefix}*`), operator)
  }
}
