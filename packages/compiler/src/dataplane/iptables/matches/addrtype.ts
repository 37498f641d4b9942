import type { AddrtypeMatch } from '../ast.js'
import { checkPlainWord } from '../quote.js'
import { consumeWord, skipWord } from '../words.js'
import type { MatchParser, MatchPrinter } from './operations.js'

/** The address types in kernel order. iptables-save prints the types in this order. */
const TYPES: readonly string[] = [
  'UNSPEC',
  'UNICAST',
  'LOCAL',
  'BROADCAST',
  'ANYCAST',
  'MULTICAST',
  'BLACKHOLE',
  'UNREACHABLE',
  'PROHIBIT',
  'THROW',
  'NAT',
  'XRESOLVE',
]

/** `-m addrtype --src-type TYPES` or `--dst-type TYPES`. */
export const addrtypeMatchPrinter: MatchPrinter<AddrtypeMatch> = {
  print: ({ side, type, negated }) => {
    const option = side === 'source' ? '--src-type ' : '--dst-type '
    return (negated ? '-m addrtype ! ' : '-m addrtype ') + option + checkPlainWord(type)
  },
  list: ({ side, type, negated }) =>
    `ADDRTYPE match ${side === 'source' ? 'src' : 'dst'}-type ${negated ? '!' : ''}${checkPlainWord(type)}`,
  canonical: (match) => {
    if (!match.type.includes(',')) return match
    const types = match.type.split(',')
    return { ...match, type: TYPES.filter((type) => types.includes(type)).join(',') }
  },
}

export const addrtypeMatchParser: MatchParser<AddrtypeMatch> = {
  begins: ['-m addrtype'],
  valueOptions: ['--src-type', '--dst-type'],
  parse: (words) => {
    const negated = skipWord(words, '!')
    const side = skipWord(words, '--src-type') ? 'source' : skipWord(words, '--dst-type') ? 'destination' : undefined
    const type = consumeWord(words)?.toUpperCase()
    if (side === undefined || !type?.split(',').every((one) => TYPES.includes(one))) return undefined
    return { kind: 'addrtype', side, type, negated }
  },
}
