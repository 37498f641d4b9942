import { matchesInInterface, matchesOutInterface } from '../../netfilter/hook-packet.js'
import { negateIf } from '../../netfilter/ternary.js'
import type { InInterfaceMatch, OutInterfaceMatch } from '../ast.js'
import { checkPlainWord } from '../quote.js'
import { consumeWord } from '../words.js'
import type { MatchOperations } from './operations.js'

/** `-i NAME`. */
export const inInterface: MatchOperations<InInterfaceMatch> = interfaceMatch(
  'inInterface',
  '-i',
  '--in-interface',
  matchesInInterface,
)

/** `-o NAME`. */
export const outInterface: MatchOperations<OutInterfaceMatch> = interfaceMatch(
  'outInterface',
  '-o',
  '--out-interface',
  matchesOutInterface,
)

function interfaceMatch<
  K extends 'inInterface' | 'outInterface',
  M extends (InInterfaceMatch | OutInterfaceMatch) & { kind: K },
>(kind: K, option: string, alias: string, goesBy: typeof matchesInInterface): MatchOperations<M> {
  return {
    begins: [option, alias],
    print: ({ name, negated }) => (negated ? `! ${option} ` : `${option} `) + checkPlainWord(name),
    parse: (words, negated) => {
      const name = consumeWord(words)
      return name === undefined || name === '' ? undefined : ({ kind, name, negated } as M)
    },
    canonical: (match) => (match.name === '+' && !match.negated ? undefined : match),
    ...(kind === 'inInterface' && { ignoresDestination: true }),
    evaluate: ({ name, negated }, passage) => negateIf(negated, goesBy(name, passage)),
  }
}
