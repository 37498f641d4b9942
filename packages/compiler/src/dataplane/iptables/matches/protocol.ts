import { canonicalizeProtocol } from '../../netfilter/protocols.js'
import { negateIf, toTernary } from '../../netfilter/ternary.js'
import type { ProtocolMatch } from '../ast.js'
import { checkPlainWord } from '../quote.js'
import { consumeWord } from '../words.js'
import type { MatchOperations } from './operations.js'

/** `-p PROTOCOL`. */
export const protocol: MatchOperations<ProtocolMatch> = {
  begins: ['-p', '--protocol'],
  print: (match) => (match.negated ? '! -p ' : '-p ') + checkPlainWord(match.protocol),
  parse: (words, negated) => {
    const name = consumeWord(words)?.toLowerCase()
    return name === undefined || name === '' ? undefined : { kind: 'protocol', protocol: name, negated }
  },
  canonical: (match) => {
    const name = canonicalizeProtocol(match.protocol)
    if (name === '0' && !match.negated) return undefined
    return name === match.protocol ? match : { ...match, protocol: name }
  },
  ignoresDestination: true,
  evaluate: (match, { packet }) => {
    const name = canonicalizeProtocol(match.protocol)
    return negateIf(match.negated, toTernary(name === packet.protocol || name === '0' || name === 'all'))
  },
}
