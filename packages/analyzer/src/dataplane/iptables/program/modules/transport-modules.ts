import { ALWAYS, allOf, anyOf, NEVER, UNKNOWN } from '../../../../program/literals.js'
import type { Literal } from '../../../../program/program.js'
import { portLiteral, protocolLiteral } from '../literals.js'
import type { ModuleOption, OptionSyntax } from '../module-options.js'
import { createConstantModule, lowerEach, type MatchModule } from './match-module.js'
import { readNames, readPorts } from './read-values.js'

const PORT_SYNTAX: OptionSyntax = { '--sport': 1, '--source-port': 1, '--dport': 1, '--destination-port': 1 }

/** Lowers the port options of a transport protocol. */
export function lowerPortOption({ name, values: [ports] }: ModuleOption): Literal | undefined {
  const side = name === '--sport' || name === '--source-port' ? 'source' : 'destination'
  const ranges = ports?.includes(',') ? undefined : readPorts(ports)
  return ranges && portLiteral(side, ranges)
}

const FLAGS: readonly string[] = ['FIN', 'SYN', 'RST', 'PSH', 'ACK', 'URG']

/** Reads TCP flags. Undefined for any other name. */
function readFlags(text: string | undefined): ReadonlySet<string> | undefined {
  const names = readNames(text, [...FLAGS, 'ALL', 'NONE'])
  if (names === undefined) return undefined
  return new Set(names.includes('ALL') ? FLAGS : names.filter((name) => name !== 'NONE'))
}

/** The first packet of a connection has the flag SYN. It may also have ECE and CWR, which the tools do not compare. */
function lowerFlags([mask, expected]: readonly string[]): Literal | undefined {
  const compared = readFlags(mask)
  const flags = readFlags(expected)
  if (compared === undefined || flags === undefined) return undefined
  const holds = FLAGS.every((flag) => (compared.has(flag) && flag === 'SYN') === flags.has(flag))
  return holds ? ALWAYS : NEVER
}

/** Lowers an option of `-m tcp` other than ports. */
export function lowerTcpOption({ name, values }: ModuleOption): Literal | undefined {
  if (name === '--tcp-flags') return lowerFlags(values)
  return name === '--syn' ? ALWAYS : UNKNOWN
}

export const TCP_SYNTAX: OptionSyntax = { '--syn': 0, '--tcp-flags': 2, '--tcp-option': 1 }

const tcp: MatchModule = {
  name: 'tcp',
  meanings: [
    { options: '--sport, --dport', decision: 'decided', reason: 'the ports of the packet' },
    {
      options: '--tcp-flags, --syn',
      decision: 'decided',
      reason: 'the first packet has `SYN`, and no other of these flags',
    },
    { options: '--tcp-option', decision: 'unknown', reason: 'the options of the packet are not known' },
  ],
  syntax: { ...PORT_SYNTAX, ...TCP_SYNTAX },
  lower: lowerProtocol('tcp', (option) =>
    Object.hasOwn(PORT_SYNTAX, option.name) ? lowerPortOption(option) : lowerTcpOption(option),
  ),
}

/** Lowers the options of a protocol. The literals also require the protocol. */
function lowerProtocol(
  protocol: string,
  lowerOption: (option: ModuleOption) => Literal | undefined,
): MatchModule['lower'] {
  const lower = lowerEach(lowerOption)
  return (options, context) => {
    const literals = lower(options, context)
    return literals && [protocolLiteral(protocol), ...literals]
  }
}

const udp: MatchModule = {
  name: 'udp',
  meanings: [{ options: '', decision: 'decided', reason: 'the ports of the packet' }],
  syntax: PORT_SYNTAX,
  lower: lowerProtocol('udp', lowerPortOption),
}

const CHUNKS: readonly string[] = [
  ...['DATA', 'INIT', 'INIT_ACK', 'SACK', 'HEARTBEAT', 'HEARTBEAT_ACK', 'ABORT', 'SHUTDOWN', 'SHUTDOWN_ACK', 'ERROR'],
  ...['COOKIE_ECHO', 'COOKIE_ACK', 'ECN_ECNE', 'ECN_CWR', 'SHUTDOWN_COMPLETE', 'I_DATA', 'RE_CONFIG', 'PAD', 'ASCONF'],
  ...['ASCONF_ACK', 'FORWARD_TSN', 'I_FORWARD_TSN'],
]

/** Lowers `--chunk-types any|all|only CHUNKS`. The first packet of a connection has one chunk, INIT. */
export function lowerChunkTypes([quantity, text]: readonly string[]): Literal | undefined {
  const names = readNames(text?.replace(/:[a-z]*/gi, ''), [...CHUNKS, 'ALL', 'NONE'])
  if (names === undefined) return undefined
  const chunks = names.includes('ALL') ? CHUNKS : names.filter((name) => name !== 'NONE')
  const hasInit = chunks.includes('INIT')
  switch (quantity) {
    case 'any':
    case 'only':
      return hasInit ? ALWAYS : NEVER
    case 'all':
      return chunks.every((chunk) => chunk === 'INIT') ? ALWAYS : NEVER
    default:
      return undefined
  }
}

const sctp: MatchModule = {
  name: 'sctp',
  meanings: [
    { options: '--sport, --dport', decision: 'decided', reason: 'the ports of the packet' },
    { options: '--chunk-types', decision: 'decided', reason: 'the first packet has the chunk `INIT` alone' },
  ],
  syntax: { ...PORT_SYNTAX, '--chunk-types': 2 },
  lower: lowerProtocol('sctp', (option) =>
    option.name === '--chunk-types' ? lowerChunkTypes(option.values) : lowerPortOption(option),
  ),
}

const multiport: MatchModule = {
  name: 'multiport',
  meanings: [{ options: '', decision: 'decided', reason: 'the ports of the packet; `--ports` compares both' }],
  syntax: {
    ...{ '--sports': 1, '--source-ports': 1, '--dports': 1, '--destination-ports': 1 },
    '--ports': 1,
  },
  lower: lowerEach(({ name, values: [ports] }) => {
    const ranges = readPorts(ports)
    if (ranges === undefined) return undefined
    if (name === '--ports') return anyOf([portLiteral('source', ranges), portLiteral('destination', ranges)])
    return portLiteral(name === '--sports' || name === '--source-ports' ? 'source' : 'destination', ranges)
  }),
}

/** Protocols other than those of Services. */
const OTHER_PROTOCOLS: readonly MatchModule[] = [
  ['icmp', 'icmp'],
  ['icmp6', 'ipv6-icmp'],
  ['ah', 'ah'],
  ['esp', 'esp'],
  ['ipcomp', 'ipcomp'],
  ['dccp', 'dccp'],
  ['mh', 'mobility-header'],
].map(([name = '', protocol = '']) =>
  createConstantModule(name, 'decided', [protocolLiteral(protocol)], 'the packet has another protocol'),
)

const l2tp = createConstantModule(
  'l2tp',
  'partly',
  [allOf([protocolLiteral('udp'), UNKNOWN])],
  'only UDP packets can match, depending on their content',
)

export const TRANSPORT_MODULES: readonly MatchModule[] = [tcp, udp, sctp, multiport, ...OTHER_PROTOCOLS, l2tp]
