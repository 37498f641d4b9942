import { cameInBy, goesOutBy } from '../../netfilter/passage.js'
import { unless } from '../../netfilter/truth.js'
import type { InInterfaceMatch, OutInterfaceMatch } from '../ast.js'
import { plainWord } from '../quote.js'
import { takeWord } from '../words.js'
import type { MatchLanguage } from './language.js'

/** `-i NAME`. */
export const inInterface: MatchLanguage<InInterfaceMatch> = interfaceMatch(
  'inInterface',
  '-i',
  '--in-interface',
  cameInBy,
)

/** `-o NAME`. */
export const outInterface: MatchLanguage<OutInterfaceMatch> = interfaceMatch(
  'outInterface',
  '-o',
  '--out-interface',
  goesOutBy,
)

function interfaceMatch<
  K extends 'inInterface' | 'outInterface',
  M extends (InInterfaceMatch | OutInterfaceMatch) & { kind: K },
>(kind: K, option: string, alias: string, goesBy: typeof cameInBy): MatchLanguage<M> {
  return {
    begins: [option, alias],
    print: ({ name, negated }) => (negated ? `! ${option} ` : `${option} `) + plainWord(name),
    parse: (words, negated) => {
      const name = takeWord(words)
      return name === undefined || name === '' ? undefined : ({ kind, name, negated } as M)
    },
    canonical: (match) => (match.name === '+' && !match.negated ? undefined : match),
    ...(kind === 'inInterface' && { ignoresDestination: true }),
    evaluate: ({ name, negated }, passage) => unless(negated, goesBy(name, passage)),
  }
}
