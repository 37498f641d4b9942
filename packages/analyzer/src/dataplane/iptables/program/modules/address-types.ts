import type { IpFamily } from '@kube-rules/types'
import { allOf, anyOf, UNKNOWN } from '../../../../program/literals.js'
import type { Literal, Side } from '../../../../program/program.js'

/** Types that `match_type6` of the kernel looks up in routes. The other types of IPv6 follow from the address. */
const ROUTED: readonly string[] = ['LOCAL', 'ANYCAST', 'UNREACHABLE']

/** The types of IPv6 addresses that must all apply, unlike those of IPv4 addresses. */
const OF_ADDRESS: readonly string[] = ['MULTICAST', 'UNICAST', 'UNSPEC']

/** Returns the literal of a list of address types. The kernel rejects the other types of IPv6 addresses. */
export function addressTypeLiteral(side: Side, types: readonly string[], family: IpFamily): Literal {
  if (family === 'IPv4') return typesLiteral(side, types)
  if (!types.every((type) => ROUTED.includes(type) || OF_ADDRESS.includes(type))) return UNKNOWN
  const routed = types.filter((type) => ROUTED.includes(type))
  return allOf([
    ...OF_ADDRESS.filter((type) => types.includes(type)).map((type) => typesLiteral(side, [type])),
    ...(routed.length === 0 ? [] : [typesLiteral(side, routed)]),
  ])
}

function typesLiteral(side: Side, types: readonly string[]): Literal {
  return { kind: 'addressType', side, types }
}

/**
 * Returns the literal of address types on the interface of the packet. The local addresses of other interfaces, which are
 * not known, count as unicast addresses.
 */
export function limitedAddressTypeLiteral(side: Side, types: readonly string[], family: IpFamily): Literal {
  const onAny = addressTypeLiteral(side, types, family)
  if (family === 'IPv6') return types.some((type) => ROUTED.includes(type)) ? allOf([onAny, UNKNOWN]) : onAny
  return types.includes('UNICAST') ? anyOf([onAny, UNKNOWN]) : allOf([onAny, UNKNOWN])
}
