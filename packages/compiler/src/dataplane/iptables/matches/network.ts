import type { IpFamily } from '@kube-rules/types'
import type { DestinationMatch, SourceMatch } from '../ast.js'
import { isZeroCidr, parseNetwork, withPrefixLength } from '../network.js'
import { consumeWord } from '../words.js'
import { type MatchParser, type MatchPrinter, printOption } from './operations.js'

/** `-s NETWORK`. */
export const sourceMatchPrinter: MatchPrinter<SourceMatch> = {
  print: ({ address, negated }) => printOption('-s', address, negated),
  canonical: canonicalizeNetwork,
}

export const sourceMatchParser: MatchParser<SourceMatch> = {
  begins: ['-s', '--source', '--src'],
  parse: (words, negated, family) => {
    const address = parseNetwork(consumeWord(words) ?? '', family)
    return address === undefined ? undefined : { kind: 'source', address, negated }
  },
}

/** `-d NETWORK`. */
export const destinationMatchPrinter: MatchPrinter<DestinationMatch> = {
  print: ({ address, negated }) => printOption('-d', address, negated),
  canonical: canonicalizeNetwork,
}

export const destinationMatchParser: MatchParser<DestinationMatch> = {
  begins: ['-d', '--destination', '--dst'],
  parse: (words, negated, family) => {
    const address = parseNetwork(consumeWord(words) ?? '', family)
    return address === undefined ? undefined : { kind: 'destination', address, negated }
  },
}

function canonicalizeNetwork<M extends SourceMatch | DestinationMatch>(match: M, family: IpFamily): M | undefined {
  if (isZeroCidr(match.address) && !match.negated) return undefined
  return { ...match, address: withPrefixLength(match.address, family) }
}
