import { allOf, anyOf, negate, UNKNOWN } from '../../../program/literals.js'
import type { Literal } from '../../../program/program.js'
import { toDefaultNotation } from '../parse/component-notations.js'
import type { PacketScope } from './comparison.js'
import type { SelectorMeaning } from './selector-row.js'

type AddressTypeMeaning = SelectorMeaning & { readonly kind: 'addressType' }

/** The types of addresses, and of routes to them. */
const TYPES: ReadonlySet<string> = new Set(
  'unspec unicast local broadcast anycast multicast blackhole unreachable prohibit throw nat xresolve'.split(' '),
)

/**
 * Lowers a comparison of the type of an address. The type of an IPv4 address depends on addresses of the node alone.
 * The type of an IPv6 address is that of its route, so a local address is not `unicast`, unlike in ip6tables.
 */
export function compareAddressType(
  { side, atInterface }: AddressTypeMeaning,
  key: string,
  scope: PacketScope,
): Literal {
  const type = toDefaultNotation(key, 'fib_addrtype')
  if (!TYPES.has(type)) return UNKNOWN
  const isOfType = (name: string): Literal => ({ kind: 'addressType', side, types: [name.toUpperCase()] })
  const isLocal = atInterface ? allOf([isOfType('local'), UNKNOWN]) : isOfType('local')
  switch (type) {
    case 'local':
      return isLocal
    case 'unicast': {
      const isRemote =
        scope.family === 'IPv4' ? isOfType('unicast') : allOf([isOfType('unicast'), negate(isOfType('local'))])
      // A local address of another interface counts as unicast.
      return atInterface ? anyOf([isRemote, allOf([isOfType('local'), UNKNOWN])]) : isRemote
    }
    case 'multicast':
    case 'unspec':
    case 'broadcast':
      return isOfType(type)
    default:
      return scope.family === 'IPv4'
        ? isOfType(type)
        : allOf([negate(isOfType('local')), negate(isOfType('multicast')), UNKNOWN])
  }
}
