import { recordSource } from '../../netfilter/read-set.js'
import { negateIf, ternaryOf } from '../../netfilter/ternary.js'
import type { DestinationMatch, SourceMatch } from '../ast.js'
import { holdsAddress, isWholeAddressSpace, readNetwork, withPrefixLength } from '../network.js'
import { plainWord } from '../quote.js'
import { takeWord } from '../words.js'
import type { MatchLanguage } from './language.js'

/** `-s NETWORK`. */
export const source: MatchLanguage<SourceMatch> = networkMatch('source', '-s', ['--source', '--src'])

/** `-d NETWORK`. */
export const destination: MatchLanguage<DestinationMatch> = networkMatch('destination', '-d', [
  '--destination',
  '--dst',
])

function networkMatch<K extends 'source' | 'destination', M extends (SourceMatch | DestinationMatch) & { kind: K }>(
  kind: K,
  option: string,
  aliases: readonly string[],
): MatchLanguage<M> {
  const create = (address: string, negated: boolean): M => ({ kind, address, negated }) as M
  return {
    begins: [option, ...aliases],
    print: ({ address, negated }) => (negated ? `! ${option} ` : `${option} `) + plainWord(address),
    parse: (words, negated, family) => {
      const address = readNetwork(takeWord(words) ?? '', family)
      return address === undefined ? undefined : create(address, negated)
    },
    canonical: ({ address, negated }, family) =>
      isWholeAddressSpace(address) && !negated ? undefined : create(withPrefixLength(address, family), negated),
    ...(kind === 'source' && { ignoresDestination: true }),
    evaluate: ({ address, negated }, { packet }) => {
      if (kind === 'source') recordSource(packet.readSet, address)
      const isOpen =
        kind === 'destination' && packet.translatedBy === 'redirectToInterface' && !isWholeAddressSpace(address)
      return isOpen ? 'unknown' : negateIf(negated, ternaryOf(holdsAddress(address, packet[kind])))
    },
  }
}
