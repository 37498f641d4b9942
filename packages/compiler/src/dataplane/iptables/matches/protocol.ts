import { canonicalizeProtocol } from '../../netfilter/protocols.js'
import type { ProtocolMatch } from '../ast.js'
import { consumeWord } from '../words.js'
import { type MatchParser, type MatchPrinter, printOption } from './operations.js'

/** `-p PROTOCOL`. */
export const protocolMatchPrinter: MatchPrinter<ProtocolMatch> = {
  print: ({ protocol, negated }) => printOption('-p', protocol, negated),
  canonical: (match) => {
    const name = canonicalizeProtocol(match.protocol)
    if (name === '0' && !match.negated) return undefined
    return name === match.protocol ? match : { ...match, protocol: name }
  },
}

export const protocolMatchParser: MatchParser<ProtocolMatch> = {
  begins: ['-p', '--protocol'],
  parse: (words, negated) => {
    const name = consumeWord(words)?.toLowerCase()
    return name === undefined || name === '' ? undefined : { kind: 'protocol', protocol: name, negated }
  },
}
