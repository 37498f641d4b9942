import { matchesInInterface, matchesOutInterface } from '../../netfilter/hook-packet.js'
import { negateIf } from '../../netfilter/ternary.js'
import type { InInterfaceMatch, OutInterfaceMatch } from '../ast.js'
import { plainWord } from '../quote.js'
import { takeWord } from '../words.js'
import type { MatchLanguage } from './language.js'

/** `-i NAME`. */
export const inInterface: MatchLanguage<InInterfaceMatch> = interfaceMatch(
  'inInterface',
  '-i',
  '--in-interface',
  matchesInInterface,
)

/** `-o NAME`. */
export const outInterface: MatchLanguage<OutInterfaceMatch> = interfaceMatch(
  'outInterface',
  '-o',
  '--out-interface',
  matchesOutInterface,
)

function interfaceMatch<
  K extends 'inInterface' | 'outInterface',
  M extends (InInterfaceMatch | OutInterfaceMatch) & { kind: K },
>(kind: K, option: string, alias: string, goesBy: typeof matchesInInterface): MatchLanguage<M> {
  return {
    begins: [option, alias],
    print: ({ name, negated }) => (negated ? `! ${option} ` : `${option} `) + plainWord(name),
    parse: (words, negated) => {
      const name = takeWord(words)
      return name === undefined || name === '' ? undefined : ({ kind, name, negated } as M)
    },
    canonical: (match) => (match.name === '+' && !match.negated ? undefined : match),
    ...(kind === 'inInterface' && { ignoresDestination: true }),
    evaluate: ({ name, negated }, passage) => negateIf(negated, goesBy(name, passage)),
  }
}
