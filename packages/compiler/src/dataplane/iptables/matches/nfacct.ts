import type { NfacctMatch } from '../ast.js'
import { plainWord } from '../quote.js'
import { skipWord, takeWord } from '../words.js'
import { type MatchLanguage, unchanged } from './language.js'

/** `-m nfacct --nfacct-name NAME`; iptables-save prints two blanks before the name. */
export const nfacct: MatchLanguage<NfacctMatch> = {
  begins: ['-m nfacct'],
  valueOptions: ['--nfacct-name'],
  print: ({ name }, style) => `-m nfacct --nfacct-name ${style === 'save' ? ' ' : ''}${plainWord(name)}`,
  list: ({ name }) => `nfacct-name  ${plainWord(name)}`,
  parse: (words) => {
    const name = skipWord(words, '--nfacct-name') ? takeWord(words) : undefined
    return name === undefined || name === '' ? undefined : { kind: 'nfacct', name }
  },
  canonical: unchanged,
  ignoresDestination: true,
  evaluate: () => 'yes',
}
