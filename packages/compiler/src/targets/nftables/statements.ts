import type { IpFamily, Protocol } from '@kube-rules/types'
import type { Element, MatchStatement, Operand, Operator, Selector, Statement } from '../../dataplane/nftables/ast.js'
import { mapList } from '../../internal/map-list.js'
import type { Endpoint } from '../../model/endpoints/endpoint.js'
import type { LocalTrafficDetection } from '../../model/node/local-traffic-detection.js'

/** The keywords of one family in a table. */
export interface FamilyKeywords {
  /** The family of the table, which is also the keyword of address fields (`ip saddr`). */
  readonly header: 'ip' | 'ip6'
  readonly addressType: 'ipv4_addr' | 'ipv6_addr'
  /** The loopback addresses in rule notation. */
  readonly loopback: string
}

export const FAMILY_KEYWORDS: Readonly<Record<IpFamily, FamilyKeywords>> = {
  IPv4: { header: 'ip', addressType: 'ipv4_addr', loopback: '127.0.0.0/8' },
  IPv6: { header: 'ip6', addressType: 'ipv6_addr', loopback: '::1' },
}

export const L4_PROTOCOL_SELECTOR: Selector = { kind: 'meta', key: 'l4proto' }
export const DESTINATION_PORT_SELECTOR: Selector = { kind: 'payload', protocol: 'th', field: 'dport' }

export function createSourceAddressSelector(family: IpFamily): Selector {
  return { kind: 'payload', protocol: FAMILY_KEYWORDS[family].header, field: 'saddr' }
}

export function createDestinationAddressSelector(family: IpFamily): Selector {
  return { kind: 'payload', protocol: FAMILY_KEYWORDS[family].header, field: 'daddr' }
}

/** Matches local addresses. */
export function createLocalAddressMatch(side: 'saddr' | 'daddr'): MatchStatement {
  return createMatch([{ kind: 'fib', flags: [side], result: 'type' }], createValueOperand('local'))
}

export function createMatch(left: readonly Selector[], right: Operand, operator: Operator = '=='): MatchStatement {
  return { kind: 'match', left, operator, right }
}

export function createValueOperand(text: string): Operand {
  return { kind: 'value', value: text }
}

export function createNamedSetOperand(set: string): Operand {
  return { kind: 'named', set }
}

/** Returns a match such as `meta l4proto tcp`. */
export function createL4ProtocolMatch(protocol: Protocol): MatchStatement {
  return createMatch([L4_PROTOCOL_SELECTOR], createValueOperand(protocol.toLowerCase()))
}

export function createJumpStatement(chain: string): Statement {
  return { kind: 'jump', chain }
}

/** Returns a statement such as `dnat to 10.180.0.1:80`. */
export function createDnatStatement({ ip, port }: Endpoint): Statement {
  return { kind: 'dnat', to: { kind: 'address', address: ip, port } }
}

/** Returns the selector `numgen random mod …`, a uniformly random number below `mod`. */
export function createNumgenSelector(mod: number): Selector {
  return { kind: 'numgen', mode: 'random', mod, offset: 0 }
}

/** Returns one element for each item, with the index of the item as key, for a map such as `0 : …, 1 : …`. */
export function createNumberedElements<T>(
  items: readonly T[],
  elementOf: (item: T, key: string) => Element,
): readonly Element[] {
  return mapList(items, (item, index) => elementOf(item, String(index)))
}

/** Returns a key of service-ips and similar maps. */
export function formatServiceIPKey(address: string, protocol: Protocol, port: number): string {
  return `${address} . ${formatNodePortKey(protocol, port)}`
}

/** Returns a key of service-nodeports and similar maps. */
export function formatNodePortKey(protocol: Protocol, port: number): string {
  return `${protocol.toLowerCase()} . ${port}`
}

/**
 * Returns the match for traffic of the pods of this node. If `negated` is true, returns the match for all other
 * traffic. If `byName` is false, nft looks up the interface when the rules are loaded. The lookup fails for missing
 * interfaces and for every prefix. Mirrors `LocalTrafficDetector` of kube-proxy.
 */
export function createLocalTrafficDetectionMatch(
  localTrafficDetection: LocalTrafficDetection,
  family: IpFamily,
  byName: boolean,
  negated: boolean,
): Statement {
  const operator = negated ? '!=' : '=='
  const ofInterface: Selector = { kind: 'meta', key: byName ? 'iifname' : 'iif' }
  switch (localTrafficDetection.kind) {
    case 'cidr':
      return createMatch(
        [createSourceAddressSelector(family)],
        createValueOperand(localTrafficDetection.cidr.text),
        operator,
      )
    case 'interface':
      return createMatch([ofInterface], createValueOperand(localTrafficDetection.interface), operator)
    case 'interfacePrefix':
      return createMatch([ofInterface], createValueOperand(`${localTrafficDetection.prefix}*`), operator)
  }
}
