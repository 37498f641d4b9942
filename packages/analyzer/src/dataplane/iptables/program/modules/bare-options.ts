import { parseNetwork } from '@kube-rules/compiler/internal/dataplane/iptables/network'
import type { IpFamily } from '@kube-rules/types'
import { type AddressOperand, readAddressOperand } from '../../../../program/address-range.js'
import { ALWAYS, NEVER } from '../../../../program/literals.js'
import type { Literal } from '../../../../program/program.js'
import type { ModuleOption } from '../module-options.js'
import { lowerEach, type MatchModule } from './match-module.js'
import { lowerChunkTypes, lowerPortOption, lowerTcpOption, TCP_SYNTAX } from './transport-modules.js'

/** Options without a module: those of iptables, and those of the protocol that an earlier option names. */
export const BARE_OPTIONS: MatchModule = {
  name: '',
  meanings: [
    {
      options: '-s, -d',
      decision: 'decided',
      reason: 'the addresses of the packet at this hook; unknown for a mask with gaps',
    },
    { options: '-i', decision: 'decided', reason: 'the incoming interface, if the trace knows it' },
    { options: '-o', decision: 'partly', reason: '`lo` for addresses of the node; the routes of others are not known' },
    { options: '-p', decision: 'decided', reason: 'the protocol of the packet' },
    { options: '-f', decision: 'decided', reason: 'conntrack reassembles fragments before all tables' },
    { options: '-4, -6', decision: 'decided', reason: 'the family of the rules' },
  ],
  syntax: {
    ...{ '-s': 1, '--source': 1, '--src': 1, '-d': 1, '--destination': 1, '--dst': 1 },
    ...{ '-f': 0, '--fragment': 0, '-4': 0, '--ipv4': 0, '-6': 0, '--ipv6': 0 },
    ...{ '--sport': 1, '--source-port': 1, '--dport': 1, '--destination-port': 1 },
    ...{ ...TCP_SYNTAX, '--chunk-types': 2 },
  },
  lower: lowerEach((option, { family }) => lowerBareOption(option, family)),
}

function lowerBareOption(option: ModuleOption, family: IpFamily): Literal | undefined {
  const { name, values } = option
  switch (name) {
    case '-s':
    case '--source':
    case '--src':
      return lowerNetworks('source', option, family)
    case '-d':
    case '--destination':
    case '--dst':
      return lowerNetworks('destination', option, family)
    case '-f':
    case '--fragment':
      return NEVER
    case '-4':
    case '--ipv4':
      return family === 'IPv4' ? ALWAYS : NEVER
    case '-6':
    case '--ipv6':
      return family === 'IPv6' ? ALWAYS : NEVER
    case '--chunk-types':
      return lowerChunkTypes(values)
    default:
      return Object.hasOwn(TCP_SYNTAX, name) ? lowerTcpOption(option) : lowerPortOption(option)
  }
}

/** Lowers a list of addresses and networks. The tools create a rule for each of them. */
function lowerNetworks(
  side: 'source' | 'destination',
  { values: [text = ''], negated }: ModuleOption,
  family: IpFamily,
): Literal | undefined {
  const operands: AddressOperand[] = []
  for (const part of text.split(',')) {
    const operand = readAddressOperand(parseNetwork(part, family) ?? '', family)
    if (operand === undefined) return undefined
    operands.push(operand)
  }
  return negated && operands.length > 1 ? undefined : { kind: 'address', side, operands }
}
