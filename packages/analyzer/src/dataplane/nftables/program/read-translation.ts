import { parseAddressNumber } from '@kube-rules/compiler/internal/dataplane/nftables/keys/address-numbers'
import { peekToken, type Scanner } from '@kube-rules/compiler/internal/dataplane/nftables/parse/scanner'
import { numberToAddress } from '../../../program/address-range.js'
import { attempt, consumeAdjacentWords, consumeFamily, skipPunctuation, skipWord } from '../parse/tokens.js'
import type { TranslateClause, Translation } from './clause.js'
import { readOperand } from './compare-address.js'
import { readPortRange } from './compare-port.js'
import { readMap } from './read-comparison.js'
import { hasOperator, readKey } from './read-key.js'
import type { StatementReader } from './read-side-effect.js'
import { skipAll, skipNothing, skipOneOf, skipOptions } from './skip.js'

/** Creates a reader for the rest of a translation after its first word: `ip to 10.0.0.1:80 random`, `to :8080`. */
export function readTranslation(statement: TranslateClause['statement']): StatementReader {
  return (scanner) => {
    const family = consumeFamily(scanner)
    const isPrefix = skipWord(scanner, 'prefix')
    const to = skipTargetWords(scanner) ? readTranslationTarget(scanner, statement) : undefined
    const isRandom = skipFlagWords(scanner)
    if (to === undefined || hasOperator(scanner)) return undefined
    return { kind: 'translate', statement, family, to: isPrefix ? { kind: 'unknown' } : to, isRandom }
  }
}

/** Skips words about the target: `interval`, `addr . port`. */
const skipTargetWords = skipOptions({ interval: skipNothing, addr: skipAll(skipOneOf('.'), skipOneOf('port')) })

/** Skips flags, such as `random,persistent`. Returns whether the kernel chooses a port at random. */
function skipFlagWords(scanner: Scanner): boolean {
  let isRandom = false
  for (;;) {
    if (skipRandom(scanner)) isRandom = true
    else if (!skipWord(scanner, 'persistent')) return isRandom
    skipPunctuation(scanner, ',')
  }
}

const skipRandom = skipOneOf('random', 'fully-random')

/** Reads the target after `to`, which only some translations need. */
function readTranslationTarget(scanner: Scanner, statement: TranslateClause['statement']): Translation | undefined {
  if (skipWord(scanner, 'to')) return readTarget(scanner)
  return statement === 'redirect' || statement === 'masquerade' ? { kind: 'fixed' } : undefined
}

function readTarget(scanner: Scanner): Translation | undefined {
  const target = attempt(scanner, () => parseTarget(consumeAdjacentWords(scanner) ?? ''))
  if (target !== undefined) return target
  // The key of a port map follows a colon.
  const { start, text } = peekToken(scanner)
  if (text.startsWith(':')) scanner.at = start + 1
  const key = readKey(scanner)
  if (key === undefined || !skipWord(scanner, 'map')) return undefined
  const lookup = readMap(scanner, key)
  return lookup && { kind: 'map', lookup }
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
  const [address = ''] = first.split('/')
  const family = parseAddressNumber(address)?.family
  const operand =
    family === undefined || rest.length > 0
      ? undefined
      : readOperand(last === first ? first : `${first}-${last}`, family)
  if (family === undefined || operand === undefined) return undefined
  if (operand.range === undefined) return { first: operand.text, last: operand.text }
  return { first: numberToAddress(operand.range.first, family), last: numberToAddress(operand.range.last, family) }
}
