import type { IpFamily } from '@kube-rules/types'
import type { DnatVerdict } from '../ast.js'
import { readAddress } from '../network.js'
import { plainWord } from '../quote.js'
import { skipWord, takeWord } from '../words.js'
import { unchanged, type VerdictLanguage } from './language.js'

/** `-j DNAT --to-destination ADDRESS`. */
export const dnat: VerdictLanguage<DnatVerdict> = {
  begins: ['-j DNAT'],
  print: (verdict) => `-j DNAT --to-destination ${plainWord(verdict.destination)}`,
  parse: (words, family) => {
    const text = skipWord(words, '--to-destination') ? takeWord(words) : undefined
    return text === undefined || text === '' ? undefined : { kind: 'dnat', destination: readDestination(text, family) }
  },
  canonical: unchanged,
}

/** An IPv6 address is respelled; ranges, ports without address and IPv4 stay as they are. */
function readDestination(text: string, family: IpFamily): string {
  const bracketed = family === 'IPv6' ? /^\[([^\]]*)\](.*)$/s.exec(text) : null
  if (bracketed === null) return (family === 'IPv6' ? readAddress(text, family) : undefined) ?? text
  const address = readAddress(bracketed[1] ?? '', family)
  return address === undefined ? text : `[${address}]${bracketed[2]}`
}
