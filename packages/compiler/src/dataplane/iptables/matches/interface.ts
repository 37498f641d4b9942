import type { InInterfaceMatch, OutInterfaceMatch } from '../ast.js'
import { consumeWord, type WordCursor } from '../words.js'
import { type MatchParser, type MatchPrinter, printOption } from './operations.js'

/** `-i NAME`. */
export const inInterfaceMatchPrinter: MatchPrinter<InInterfaceMatch> = {
  print: ({ name, negated }) => printOption('-i', name, negated),
  canonical: (match) => (isAnyInterface(match) ? undefined : match),
}

export const inInterfaceMatchParser: MatchParser<InInterfaceMatch> = {
  begins: ['-i', '--in-interface'],
  parse: (words, negated) => {
    const name = readName(words)
    return name === undefined ? undefined : { kind: 'inInterface', name, negated }
  },
}

/** `-o NAME`. */
export const outInterfaceMatchPrinter: MatchPrinter<OutInterfaceMatch> = {
  print: ({ name, negated }) => printOption('-o', name, negated),
  canonical: (match) => (isAnyInterface(match) ? undefined : match),
}

export const outInterfaceMatchParser: MatchParser<OutInterfaceMatch> = {
  begins: ['-o', '--out-interface'],
  parse: (words, negated) => {
    const name = readName(words)
    return name === undefined ? undefined : { kind: 'outInterface', name, negated }
  },
}

function isAnyInterface({ name, negated }: InInterfaceMatch | OutInterfaceMatch): boolean {
  return name === '+' && !negated
}

function readName(words: WordCursor): string | undefined {
  return consumeWord(words) || undefined
}
