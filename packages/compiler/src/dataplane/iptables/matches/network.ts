import type { IpFamily } from '@kube-rules/types'
import { recordSourceRead } from '../../netfilter/read-set.js'
import { negateIf, toTernary } from '../../netfilter/ternary.js'
import type { DestinationMatch, SourceMatch } from '../ast.js'
import { isZeroCidr, networkContains, parseNetwork, withPrefixLength } from '../network.js'
import { checkPlainWord } from '../quote.js'
import { consumeWord } from '../words.js'
import type { MatchEvaluator, MatchParser, MatchPrinter } from './operations.js'

/** `-s NETWORK`. */
export const sourceMatchPrinter: MatchPrinter<SourceMatch> = {
  print: (match) => printNetwork('-s', match),
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
  print: (match) => printNetwork('-d', match),
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

function printNetwork(option: string, { address, negated }: SourceMatch | DestinationMatch): string {
  return (negated ? `! ${option} ` : `${option} `) + checkPlainWord(address)
}

function canonicalizeNetwork<M extends SourceMatch | DestinationMatch>(match: M, family: IpFamily): M | undefined {
  if (isZeroCidr(match.address) && !match.negated) return undefined
  return { ...match, address: withPrefixLength(match.address, family) }
}
