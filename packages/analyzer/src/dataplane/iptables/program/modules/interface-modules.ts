import { ALWAYS, allOf, anyOf, NEVER, negate, negateLiteralIf, UNKNOWN } from '../../../../program/literals.js'
import type { Literal } from '../../../../program/program.js'
import { IN_BY_LOOPBACK, SENT_BY_NODE } from '../literals.js'
import { findValue, hasOption } from '../module-options.js'
import { addressTypeLiteral } from './address-types.js'
import { createConstantModule, lowerEach, type MatchModule } from './match-module.js'

const physdev: MatchModule = {
  name: 'physdev',
  meanings: [
    {
      options: '--physdev-is-in',
      decision: 'decided',
      reason: 'whether the packet entered through a port of a bridge',
    },
    {
      options: 'other options',
      decision: 'partly',
      reason: 'a packet that did not enter through a port of a bridge matches negated options only',
    },
  ],
  syntax: {
    ...{ '--physdev-in': 1, '--physdev-out': 1 },
    ...{ '--physdev-is-in': 0, '--physdev-is-out': 0, '--physdev-is-bridged': 0 },
  },
  lower: lowerEach(({ name }) => physdevLiteral(name === '--physdev-is-in' ? 'in' : 'out')),
}

/** Returns the literal of a property of the bridge port. The ports themselves are not known. */
export function physdevLiteral(is: 'in' | 'out' | 'bridged'): Literal {
  return is === 'in' ? BRIDGED : BRIDGED_SOMEHOW
}

const BRIDGED = { kind: 'bridged' } as const
const BRIDGED_SOMEHOW = allOf([BRIDGED, UNKNOWN])

const OF_A_PROCESS = allOf([SENT_BY_NODE, UNKNOWN])

const owner: MatchModule = {
  name: 'owner',
  meanings: [
    { options: '--socket-exists', decision: 'decided', reason: 'whether a process of the node sent the packet' },
    {
      options: '--uid-owner, --gid-owner, --suppl-groups',
      decision: 'partly',
      reason: 'a packet without a process of the node matches negated options only; the user of a process is not known',
    },
  ],
  syntax: { '--uid-owner': 1, '--gid-owner': 1, '--socket-exists': 0, '--suppl-groups': 0 },
  lower: (options, context) =>
    lowerEach(({ name }) => (name === '--socket-exists' ? SENT_BY_NODE : OF_A_PROCESS))(
      options.filter(({ name }) => name !== '--suppl-groups'),
      context,
    ),
}

const cgroup = createConstantModule(
  'cgroup',
  'partly',
  [SENT_BY_NODE, UNKNOWN],
  'a packet without a process of the node never matches, even if the match is negated',
)

const socket: MatchModule = {
  name: 'socket',
  meanings: [
    {
      options: '',
      decision: 'partly',
      reason: 'the first packet matches only a listening socket at its address, which must be an address of the node',
    },
    { options: '--nowildcard', decision: 'unknown', reason: 'any process may listen at the port' },
  ],
  syntax: { '--transparent': 0, '--nowildcard': 0, '--restore-skmark': 0 },
  lower: (options, { family }) =>
    hasOption(options, '--nowildcard') ? [UNKNOWN] : [addressTypeLiteral('destination', ['LOCAL'], family), UNKNOWN],
}

const policy: MatchModule = {
  name: 'policy',
  meanings: [
    { options: '--dir in', decision: 'decided', reason: 'the packet did not arrive through IPsec' },
    { options: '--dir out', decision: 'unknown', reason: 'the IPsec policies of the node' },
  ],
  syntax: {
    ...{ '--dir': 1, '--pol': 1, '--strict': 0, '--next': 0, '--reqid': 1, '--spi': 1, '--proto': 1, '--mode': 1 },
    ...{ '--tunnel-src': 1, '--tunnel-dst': 1 },
  },
  lower: (options) => {
    const pol = findValue(options, '--pol')
    if (findValue(options, '--dir') === 'out') return [UNKNOWN]
    if (findValue(options, '--dir') !== 'in' || (pol !== 'none' && pol !== 'ipsec')) return undefined
    return [pol === 'none' ? ALWAYS : NEVER]
  },
}

const rpfilter: MatchModule = {
  name: 'rpfilter',
  meanings: [
    {
      options: '',
      decision: 'partly',
      reason: 'packets of the node to itself pass; for others, the routes are not known',
    },
  ],
  syntax: { '--loose': 0, '--validmark': 0, '--accept-local': 0, '--invert': 0 },
  lower: (options) => [negateLiteralIf(hasOption(options, '--invert'), anyOf([IN_BY_LOOPBACK, UNKNOWN]))],
}

const NOT_ETHERNET = 'packets of the node to itself never match, even if the match is negated; the sender is not known'

export const INTERFACE_MODULES: readonly MatchModule[] = [
  ...[physdev, owner, cgroup, socket, policy, rpfilter],
  createConstantModule('mac', 'partly', [negate(IN_BY_LOOPBACK), UNKNOWN], NOT_ETHERNET),
  createConstantModule('eui64', 'partly', [negate(IN_BY_LOOPBACK), UNKNOWN], NOT_ETHERNET),
  createConstantModule('devgroup', 'unknown', [UNKNOWN], 'the groups of interfaces'),
  createConstantModule('realm', 'unknown', [UNKNOWN], 'the routes'),
  createConstantModule('cpu', 'unknown', [UNKNOWN], 'the CPU that processes the packet'),
]
