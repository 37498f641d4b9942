import type { IpFamily } from '@kube-rules/types'
import { recordSourceRead } from '../../netfilter/read-set.js'
import { negateIf, toTernary } from '../../netfilter/ternary.js'
import type { DestinationMatch, SourceMatch } from '../ast.js'
import { isZeroCidr, networkContains, parseNetwork, withPrefixLength } from '../network.js'
import { consumeWord } from '../words.js'
import { type MatchEvaluator, type MatchParser, type MatchPrinter, printOption } from './operations.js'

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

export const sourceMatchEvaluator: MatchEvaluator<SourceMatch> = {
  ignoresDestination: true,
  evaluate: ({ address, negated }, { packet }) => {
    recordSourceRead(packet.readSet, address)
    return negateIf(negated, toTernary(networkContains(address, packet.source)))
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

export const destinationMatchEvaluator: MatchEvaluator<DestinationMatch> = {
  evaluate: ({ address, negated }, { packet }) =>
    packet.translatedBy === 'redirectToInterface' && !isZeroCidr(address)
      ? 'unknown'
      : negateIf(negated, toTernary(networkContains(address, packet.destination))),
}

function canonicalizeNetwork<M extends SourceMatch | DestinationMatch>(match: M, family: IpFamily): M | undefined {
  if (isZeroCidr(match.address) && !match.negated) return undefined
  return { ...match, address: withPrefixLength(match.address, family) }
}
