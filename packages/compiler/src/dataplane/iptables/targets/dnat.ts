import type { IpFamily } from '@kube-rules/types'
import { parseAddress } from '../../netfilter/parse-address.js'
import type { DnatTarget } from '../ast.js'
import { checkPlainWord } from '../quote.js'
import { consumeWord, skipWord, type WordCursor } from '../words.js'
import { type TargetPrinter, unchangedTarget } from './operations.js'

/** `-j DNAT --to-destination ADDRESS`. */
export const dnatTargetPrinter: TargetPrinter<DnatTarget> = {
  print: (target) => `-j DNAT --to-destination ${checkPlainWord(target.destination)}`,
  list: (target) => `to:${checkPlainWord(target.destination)}`,
  canonical: unchangedTarget,
}

export function parseDnatTarget(words: WordCursor, family: IpFamily): DnatTarget | undefined {
  const text = skipWord(words, '--to-destination') ? consumeWord(words) : undefined
  return text === undefined || text === '' ? undefined : { kind: 'dnat', destination: readDestination(text, family) }
}

/**
 * Converts an IPv6 address to canonical notation. Ranges, ports without an address, and IPv4 destinations stay
 * unchanged.
 */
function readDestination(text: string, family: IpFamily): string {
  if (family === 'IPv4') return text
  const [, bracketed, rest] = /^\[([^\]]*)\](.*)/s.exec(text) ?? []
  const address = parseAddress(bracketed ?? text, family)
  if (address === undefined) return text
  return bracketed === undefined ? address : `[${address}]${rest}`
}
