import { readAddressOperand } from '../../../../program/address-range.js'
import { NEVER, negate } from '../../../../program/literals.js'
import type { Literal } from '../../../../program/program.js'
import { hasOption, type ModuleOption } from '../module-options.js'
import { addressTypeLiteral, limitedAddressTypeLiteral } from './address-types.js'
import { lowerEach, type MatchContext, type MatchModule } from './match-module.js'
import { readNames } from './read-values.js'

const iprange: MatchModule = {
  name: 'iprange',
  meanings: [{ options: '', decision: 'decided', reason: 'the addresses of the packet' }],
  syntax: { '--src-range': 1, '--dst-range': 1 },
  lower: lowerEach(({ name, values: [range = ''] }, { family }) => {
    const operand = range.includes('/') ? undefined : readAddressOperand(range, family)
    return operand && { kind: 'address', side: name === '--src-range' ? 'source' : 'destination', operands: [operand] }
  }),
}

/** The address types in kernel order. */
const TYPES: readonly string[] = [
  ...['UNSPEC', 'UNICAST', 'LOCAL', 'BROADCAST', 'ANYCAST', 'MULTICAST'],
  ...['BLACKHOLE', 'UNREACHABLE', 'PROHIBIT', 'THROW', 'NAT', 'XRESOLVE'],
]

const addrtype: MatchModule = {
  name: 'addrtype',
  meanings: [
    {
      options: '--src-type, --dst-type',
      decision: 'decided',
      reason:
        'the addresses of the node; an address with a route of type `blackhole`, `unreachable` or `prohibit` is `UNICAST`',
    },
    {
      options: '--limit-iface-in, --limit-iface-out',
      decision: 'partly',
      reason: 'the interfaces of local addresses are not known',
    },
  ],
  syntax: { '--src-type': 1, '--dst-type': 1, '--limit-iface-in': 0, '--limit-iface-out': 0 },
  lower: (options, context) => {
    const isLimited = hasOption(options, '--limit-iface-in') || hasOption(options, '--limit-iface-out')
    const types = options.filter(({ name }) => name === '--src-type' || name === '--dst-type')
    return lowerEach((option) => lowerTypes(option, isLimited, context))(types, context)
  },
}

function lowerTypes(
  { name, values: [text] }: ModuleOption,
  isLimited: boolean,
  { family }: MatchContext,
): Literal | undefined {
  const types = readNames(text, TYPES)
  const side = name === '--src-type' ? 'source' : 'destination'
  return types && (isLimited ? limitedAddressTypeLiteral : addressTypeLiteral)(side, types, family)
}

const pkttype: MatchModule = {
  name: 'pkttype',
  meanings: [
    { options: '', decision: 'decided', reason: 'multicast if the destination is, and unicast for any other packet' },
  ],
  syntax: { '--pkt-type': 1 },
  lower: lowerEach(({ values: [type] }, { family }) => {
    const isMulticast = addressTypeLiteral('destination', ['MULTICAST'], family)
    switch (type?.toLowerCase()) {
      case 'unicast':
      case 'host':
        return negate(isMulticast)
      case 'multicast':
      case 'mcast':
        return isMulticast
      case 'broadcast':
      case 'bcast':
        return NEVER
      default:
        return undefined
    }
  }),
}

export const ADDRESS_MODULES: readonly MatchModule[] = [iprange, addrtype, pkttype]
