import type { NfacctMatch } from '../ast.js'
import { checkPlainWord } from '../quote.js'
import { consumeWord, skipWord } from '../words.js'
import { type MatchParser, type MatchPrinter, unchangedMatch } from './operations.js'

/** `-m nfacct --nfacct-name NAME`; iptables-save prints two spaces before the name. */
export const nfacctMatchPrinter: MatchPrinter<NfacctMatch> = {
  print: ({ name }, style) => `-m nfacct --nfacct-name ${style === 'save' ? ' ' : ''}${checkPlainWord(name)}`,
  list: ({ name }) => `nfacct-name  ${checkPlainWord(name)}`,
  canonical: unchangedMatch,
}

export const nfacctMatchParser: MatchParser<NfacctMatch> = {
  begins: ['-m nfacct'],
  valueOptions: ['--nfacct-name'],
  parse: (words) => {
    const name = skipWord(words, '--nfacct-name') ? consumeWord(words) : undefined
    return name === undefined || name === '' ? undefined : { kind: 'nfacct', name }
  },
}
