import { recordSource } from '../../netfilter/read-set.js'
import { negateIf, toTernary } from '../../netfilter/ternary.js'
import type { DestinationMatch, SourceMatch } from '../ast.js'
import { isWholeAddressSpace, networkContains, parseNetwork, withPrefixLength } from '../network.js'
import { checkPlainWord } from '../quote.js'
import { consumeWord } from '../words.js'
import type { MatchOperations } from './operations.js'

/** `-s NETWORK`. */
export const source: MatchOperations<SourceMatch> = networkMatch('source', '-s', ['--source', '--src'])

/** `-d NETWORK`. */
export const destination: MatchOperations<DestinationMatch> = networkMatch('destination', '-d', [
  '--destination',
  '--dst',
])

function networkMatch<K extends 'source' | 'destination', M extends (SourceMatch | DestinationMatch) & { kind: K }>(
  kind: K,
  option: string,
  aliases: readonly string[],
): MatchOperations<M> {
  const create = (address: string, negated: boolean): M => ({ kind, address, negated }) as M
  return {
    begins: [option, ...aliases],
    print: ({ address, negated }) => (negated ? `! ${option} ` : `${option} `) + checkPlainWord(address),
    parse: (words, negated, family) => {
      const address = parseNetwork(consumeWord(words) ?? '', family)
      return address === undefined ? undefined : create(address, negated)
    },
    canonical: ({ address, negated }, family) =>
      isWholeAddressSpace(address) && !negated ? undefined : create(withPrefixLength(address, family), negated),
    ...(kind === 'source' && { ignoresDestination: true }),
    evaluate: ({ address, negated }, { packet }) => {
      if (kind === 'source') recordSource(packet.readSet, address)
      const isOpen =
        kind === 'destination' && packet.translatedBy === 'redirectToInterface' && !isWholeAddressSpace(address)
      return isOpen ? 'unknown' : negateIf(negated, toTernary(networkContains(address, packet[kind])))
    },
  }
}
