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
  if (family === 'IPv4') return text
  const [, bracketed, rest] = /^\[([^\]]*)\](.*)$/s.exec(text) ?? []
  const address = readAddress(bracketed ?? text, family)
  if (address === undefined) return text
  return bracketed === undefined ? address : `[${address}]${rest}`
}
