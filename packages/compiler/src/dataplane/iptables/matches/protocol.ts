import { canonicalizeProtocol } from '../../netfilter/protocols.js'
import { negateIf, ternaryOf } from '../../netfilter/ternary.js'
import type { ProtocolMatch } from '../ast.js'
import { plainWord } from '../quote.js'
import { takeWord } from '../words.js'
import type { MatchLanguage } from './language.js'

/** `-p PROTOCOL`. */
export const protocol: MatchLanguage<ProtocolMatch> = {
  begins: ['-p', '--protocol'],
  print: (match) => (match.negated ? '! -p ' : '-p ') + plainWord(match.protocol),
  parse: (words, negated) => {
    const name = takeWord(words)?.toLowerCase()
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
    return negateIf(match.negated, ternaryOf(name === packet.protocol || name === '0' || name === 'all'))
  },
}
