import { parseAddressNumber } from '@kube-rules/compiler/internal/dataplane/nftables/keys/address-numbers'
import { peekToken, type Scanner } from '@kube-rules/compiler/internal/dataplane/nftables/parse/scanner'
import { numberToAddress } from '../../../program/address-range.js'
import { consumeAdjacentWords, isPunctuation, skipPunctuation, skipWord } from '../parse/tokens.js'
import type { TranslateClause, Translation } from './clause.js'
import { readOperand } from './compare-address.js'
import { readPortRange } from './compare-port.js'
import { readMap } from './read-comparison.js'
import { hasOperator, readKey } from './read-key.js'

function isTranslation(word: string): word is TranslateClause['statement'] {
  return word === 'dnat' || word === 'snat' || word === 'redirect' || word === 'masquerade'
}

/** Reads the rest of a translation after its first word: `ip to 10.0.0.1:80 random`, `to :8080`. */
export function readTranslation(scanner: Scanner, word: string): TranslateClause | undefined {
  if (!isTranslation(word)) return undefined
  const family = skipWord(scanner, 'ip') ? 'ip' : skipWord(scanner, 'ip6') ? 'ip6' : undefined
  const isPrefix = skipWord(scanner, 'prefix')
  if (!isPrefix && !skipWord(scanner, 'interval') && skipWord(scanner, 'addr') && !skipPortWords(scanner))
    return undefined
  const isTo = skipWord(scanner, 'to')
  if (!isTo && (word === 'dnat' || word === 'snat')) return undefined
  const to: Translation | undefined = isTo ? readTarget(scanner) : { kind: 'fixed' }
  const flags = to === undefined ? undefined : consumeFlagWords(scanner)
  if (to === undefined || flags === undefined || hasOperator(scanner)) return undefined
  const isRandom = flags.includes('random') || flags.includes('fully-random')
  return { kind: 'translate', statement: word, family, to: isPrefix ? { kind: 'unknown' } : to, isRandom }
}

function skipPortWords(scanner: Scanner): boolean {
  return skipWord(scanner, '.') && skipWord(scanner, 'port')
}

const FLAGS = ['random', 'fully-random', 'persistent']

function consumeFlagWords(scanner: Scanner): readonly string[] | undefined {
  const flags: string[] = []
  for (;;) {
    const flag = FLAGS.find((each) => skipWord(scanner, each))
    if (flag === undefined) return isPunctuation(peekToken(scanner), ',') ? undefined : flags
    flags.push(flag)
    skipPunctuation(scanner, ',')
  }
}

function readTarget(scanner: Scanner): Translation | undefined {
  const { at } = scanner
  const target = parseTarget(consumeAdjacentWords(scanner) ?? '')
  if (target !== undefined) return target
  scanner.at = at
  // The key of a port map follows a colon.
  const { start, text } = peekToken(scanner)
  if (text.startsWith(':')) scanner.at = start + 1
  const key = readKey(scanner)
  if (key === undefined || !skipWord(scanner, 'map')) return undefined
  const lookup = readMap(scanner, key)
  return lookup === undefined ? undefined : { kind: 'map', lookup }
}

/** Parses `10.0.0.1`, `10.0.0.1-10.0.0.9:80`, `[fd00::1]:80-90` or `:8080`. */
function parseTarget(target: string): Translation | undefined {
  const { addressText, portText } = splitTarget(target)
  const addresses = parseAddresses(addressText)
  const ports = portText === undefined ? undefined : readPortRange(portText)
  if ((addressText !== '' && addresses === undefined) || (portText !== undefined && ports === undefined))
    return undefined
  if (addresses === undefined && ports === undefined) return undefined
  if (addresses?.first !== addresses?.last || ports?.first !== ports?.last) return { kind: 'range', addresses, ports }
  return { kind: 'fixed', address: addresses?.first, port: ports?.first }
}

/** Splits a target at the colon before its port. An IPv6 address without brackets has no port. */
function splitTarget(target: string): { readonly addressText: string; readonly portText?: string } {
  const bracket = target.lastIndexOf(']')
  const colon = target.indexOf(':', bracket + 1)
  const hasPort = colon >= 0 && (bracket >= 0 || target.indexOf(':', colon + 1) < 0)
  return hasPort ? { addressText: target.slice(0, colon), portText: target.slice(colon + 1) } : { addressText: target }
}

/** Parses an address, a range of addresses or a network, with or without brackets. */
function parseAddresses(text: string): { readonly first: string; readonly last: string } | undefined {
  const [first = '', last = first, ...rest] = text.split('-').map((end) => end.replace(/^\[([^[\]]*)\]$/, '$1'))
  const family = parseAddressNumber(first.split('/')[0] ?? '')?.family
  const operand =
    family === undefined || rest.length > 0
      ? undefined
      : readOperand(last === first ? first : `${first}-${last}`, family)
  if (family === undefined || operand === undefined) return undefined
  if (operand.range === undefined) return { first: operand.text, last: operand.text }
  return { first: numberToAddress(operand.range.first, family), last: numberToAddress(operand.range.last, family) }
}
