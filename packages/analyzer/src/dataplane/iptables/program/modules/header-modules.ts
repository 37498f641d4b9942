import { ALWAYS, NEVER, negateLiteralIf, UNKNOWN } from '../../../../program/literals.js'
import type { Literal } from '../../../../program/program.js'
import { protocolLiteral } from '../literals.js'
import { findOption, hasOption } from '../module-options.js'
import { createConstantModule, lowerEach, type MatchModule } from './match-module.js'
import { readRange } from './read-values.js'

/** The length of the shortest packet: an IPv4 header and a UDP header. */
const SHORTEST_PACKET = 28
const LONGEST_PACKET = 65535

const length: MatchModule = {
  name: 'length',
  meanings: [
    {
      options: '',
      decision: 'partly',
      reason: 'the length is between 28 and 65535 bytes, and usually 60 (IPv4) or 80 (IPv6) for a SYN packet',
    },
  ],
  syntax: { '--length': 1 },
  lower: lowerEach(({ values: [text] }) => {
    const range = readRange(text, LONGEST_PACKET)
    if (range === undefined) return undefined
    if (range.first <= SHORTEST_PACKET && range.last === LONGEST_PACKET) return ALWAYS
    return range.last < SHORTEST_PACKET ? NEVER : UNKNOWN
  }),
}

const HEADER_NAMES: ReadonlyMap<string, string> = new Map([
  ...['hop', 'hop-by-hop', '0'].map((name) => [name, 'hop'] as const),
  ...['dst', 'ipv6-opts', '60'].map((name) => [name, 'dst'] as const),
  ...['route', 'ipv6-route', '43'].map((name) => [name, 'route'] as const),
  ...['frag', 'ipv6-frag', '44'].map((name) => [name, 'frag'] as const),
  ...['auth', 'ah', '51'].map((name) => [name, 'auth'] as const),
  ...['esp', '50'].map((name) => [name, 'esp'] as const),
  ...['none', 'ipv6-nonxt', '59'].map((name) => [name, 'none'] as const),
  ...['prot', 'protocol', '255'].map((name) => [name, 'prot'] as const),
])

const ipv6header: MatchModule = {
  name: 'ipv6header',
  meanings: [{ options: '', decision: 'decided', reason: 'the first packet has no extension headers' }],
  syntax: { '--header': 1, '--soft': 0 },
  lower: (options) => {
    const option = findOption(options, '--header')
    const headers = option?.values[0]?.split(',').map((name) => HEADER_NAMES.get(name))
    if (option === undefined || !headers?.every((header) => header !== undefined)) return undefined
    return [lowerHeaders(new Set(headers), option.negated, hasOption(options, '--soft'))]
  },
}

/** The packet has no header but that of its protocol. With `--soft`, other headers than the listed ones are ignored. */
function lowerHeaders(headers: ReadonlySet<string>, negated: boolean, isSoft: boolean): Literal {
  const isProtocolOnly = headers.size === 1 && headers.has('prot')
  if (isSoft && negated) return headers.has('prot') ? NEVER : ALWAYS
  return negateLiteralIf(negated, isProtocolOnly ? ALWAYS : NEVER)
}

/** Modules that fail without the extension header, even if they are negated. */
const EXTENSION_HEADERS = ['hbh', 'dst', 'rt', 'srh', 'frag'].map((name) =>
  createConstantModule(name, 'decided', [NEVER], 'the first packet has no extension headers'),
)

/** Reads TCP headers, and fails for any other protocol. */
const tcpmss = createConstantModule('tcpmss', 'unknown', [protocolLiteral('tcp'), UNKNOWN], 'the MSS of the client')

const UNKNOWN_HEADERS = [
  ['ttl', 'the sender chooses the TTL, usually 64, and each router reduces it'],
  ['hl', 'the sender chooses the hop limit, usually 64, and each router reduces it'],
  ['tos', 'usually 0, but the sender, or another rule, may set it'],
  ['dscp', 'usually 0, but the sender, or another rule, may set it'],
  ['ecn', 'the sender chooses whether it uses ECN'],
  ['string', 'the content of the packet'],
  ['u32', 'the content of the packet'],
  ['bpf', 'the content of the packet'],
  ['osf', 'the operating system of the client'],
].map(([name = '', reason = '']) => createConstantModule(name, 'unknown', [UNKNOWN], reason))

export const HEADER_MODULES: readonly MatchModule[] = [
  ...[length, ipv6header, ...EXTENSION_HEADERS],
  ...[tcpmss, ...UNKNOWN_HEADERS],
]
