import type { NfacctMatch } from '../ast.js'
import { checkPlainWord } from '../quote.js'
import { consumeWord, skipWord } from '../words.js'
import { identity, type MatchOperations } from './operations.js'

/** `-m nfacct --nfacct-name NAME`; iptables-save prints two blanks before the name. */
export const nfacct: MatchOperations<NfacctMatch> = {
  begins: ['-m nfacct'],
  valueOptions: ['--nfacct-name'],
  print: ({ name }, style) => `-m nfacct --nfacct-name ${style === 'save' ? ' ' : ''}${checkPlainWord(name)}`,
  list: ({ name }) => `nfacct-name  ${checkPlainWord(name)}`,
  parse: (words) => {
    const name = skipWord(words, '--nfacct-name') ? consumeWord(words) : undefined
    return name === undefined || name === '' ? undefined : { kind: 'nfacct', name }
  },
  canonical: identity,
  ignoresDestination: true,
  evaluate: () => 'yes',
}
